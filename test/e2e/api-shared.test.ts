/**
 * One session with several kinds of clients: streams, the client library, the command line and a page in Chromium show
 * the same.
 */
import { expect, it } from 'vitest';
import type { EventStream } from '../support/event-stream.ts';
import { DeskTerminal } from '../support/holdfast-command.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { TerminalScreen } from '../support/terminal-screen.ts';
import { typeInto } from '../support/type-into.ts';
import { World } from '../support/world.ts';

/** What a terminal shows that is fed by a stream. */
async function screenOf(stream: EventStream, until: RegExp): Promise<string> {
  const screen = new TerminalScreen({ cols: 80, rows: 24 });
  const write = (data: unknown) =>
    new Promise<void>((resolve) => screen.write(new TextEncoder().encode(String(data)), resolve));
  for (let event = await stream.next(); event !== undefined; event = await stream.next()) {
    if (event.name === 'snapshot' || event.name === 'resize') {
      screen.resize({ cols: Number(event.data.cols), rows: Number(event.data.rows) });
    }
    if (event.name === 'snapshot' || event.name === 'data') await write(event.data.data);
    if (until.test(screen.text)) return screen.text;
  }
  throw new Error('the stream ended');
}

/** What was printed after the screen was cleared: a window may have more above it, or blank rows below. */
const lastLines = (text: string, count: number) => text.trimEnd().split('\n').slice(-count).join('\n');

it('[R3] two streams, a client, `holdfast attach` and a page show the same, whoever types', async () => {
  await using world = await World.open();
  const page = await world.page();
  const terminal = terminalOf(page);
  await terminal.prompts();
  const api = await world.api();
  const {
    body: { sessions },
  } = await api.ask<{ sessions: { id: string }[] }>('GET', '/sessions');
  const id = sessions[0]?.id ?? '';
  const client = (await world.client()).attach(id);
  using one = await api.stream(id);
  using two = await api.stream(id);
  using desk = new DeskTerminal(['attach', id], {
    HOLDFAST_RELAY: world.relay.url.href,
    HOLDFAST_WORKSPACE: world.relay.workspace,
    HOLDFAST_TOKEN: await world.relay.token('operator'),
  });
  await desk.screen.sees(/[#$]$/m);
  await api.type(id, 'PS1="$ "; clear; echo from-http-$((1+1))\n');
  await client.screen.sees(/^from-http-2\n\$$/m);
  typeInto(client.session, 'echo from-client-$((1+1)) ünïçødé 漢字\n');
  await client.screen.sees(/^from-client-2 ünïçødé 漢字\n\$$/m);
  await terminal.types('echo from-page-$((1+1))\n');
  await client.screen.sees(/^from-page-2\n\$$/m);
  desk.presses('echo from-cli-$((1+1))\r');
  const last = /^from-cli-2\n\$$/m;
  await client.screen.sees(last);
  const streams = await Promise.all([screenOf(one, last), screenOf(two, last)]);
  expect(streams[0]).toBe(streams[1]);
  expect(streams[0]).toBe(client.screen.text);
  expect(await api.text(id)).toBe(client.screen.text);
  await desk.screen.sees(last);
  expect(lastLines(desk.screen.text, 8)).toBe(lastLines(client.screen.text, 8));
  await terminal.shows(last);
  expect(lastLines(await terminal.screen(), 8)).toBe(lastLines(desk.screen.text, 8));
});

/** One session, seen by everybody: streams, the client library and a page in Chromium show the same bytes. */
import { expect, it } from 'vitest';
import type { EventStream } from '../support/event-stream.ts';
import { typeInto } from '../support/headless-client.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { TerminalScreen } from '../support/terminal-screen.ts';
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

it('[R3] two streams, a client and a page see the same, whoever types', async () => {
  await using world = await World.open();
  const page = await world.page();
  const terminal = terminalOf(page);
  await terminal.shows(/[#$]$/m);
  const api = await world.api();
  const {
    body: { sessions },
  } = await api.ask<{ sessions: { id: string }[] }>('GET', '/sessions');
  const id = sessions[0]?.id ?? '';
  const client = (await world.client()).attach(id);
  using one = await api.stream(id);
  using two = await api.stream(id);
  await api.type(id, 'PS1="$ "; clear; echo from-http-$((1+1))\n');
  await client.screen.sees(/from-http-2/);
  typeInto(client.session, 'echo from-client-$((1+1)) ünïçødé 漢字\n');
  await client.screen.sees(/^from-client-2 ünïçødé 漢字$/m);
  await terminal.types('echo from-page-$((1+1))\n');
  await client.screen.sees(/^from-page-2\n\$$/m);
  const streams = await Promise.all([
    screenOf(one, /^from-page-2\n\$$/m),
    screenOf(two, /^from-page-2\n\$$/m),
  ]);
  expect(streams[0]).toBe(streams[1]);
  expect(streams[0]).toBe(client.screen.text);
  expect(await api.text(id)).toBe(client.screen.text);
  await terminal.shows(/^from-http-2\n.*\nfrom-client-2 ünïçødé 漢字\n.*\nfrom-page-2\n\$$/m);
});

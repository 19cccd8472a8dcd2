/** `holdfast attach` in a real terminal, against real workerd, a real agent and real shells. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CuttingProxy } from '../support/cutting-proxy.ts';
import type { HeadlessClient } from '../support/headless-client.ts';
import { BIN, DeskTerminal, holdfast } from '../support/holdfast-command.ts';
import { RecordingProgram } from '../support/recording-program.ts';
import { EVERY_ANSWER, EVERY_QUERY, LAST_ANSWER } from '../support/terminal-queries.ts';
import { TestRelay } from '../support/test-relay.ts';
import { PROMPT, typeInto } from '../support/type-into.ts';
import { World } from '../support/world.ts';

const DETACH = '\x1d';
/** What this terminal answers when `attach` queries its colours: only its kind. */
const TO_ATTACH_ITSELF = '\x1b[?1;2c';

let world: World;
let proxy: CuttingProxy;
let other: HeadlessClient;
let env: Record<string, string>;
const dir = mkdtempSync(join(tmpdir(), 'holdfast-attach-'));

beforeAll(async () => {
  const relay = await TestRelay.onWorkerd();
  proxy = await CuttingProxy.to(relay.url);
  world = await World.open({}, relay);
  other = await world.client();
  const file = join(dir, 'token');
  writeFileSync(file, await relay.token('operator'), { mode: 0o600 });
  env = { HOLDFAST_RELAY: proxy.url.href, HOLDFAST_WORKSPACE: relay.workspace, HOLDFAST_TOKEN_FILE: file };
});

beforeEach(() => proxy.up());

afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true });
});

/** A shell; no client is attached to it. */
async function shell(name: string, args: string[] = []): Promise<string> {
  const { id } = await other.client.create({
    name,
    cols: 80,
    rows: 24,
    command: 'sh',
    args,
    env: { PS1: PROMPT },
  });
  return id;
}

const lastLines = (text: string, count: number) => text.split('\n').slice(-count).join('\n');

describe('holdfast attach', () => {
  it('[OU8] types, detaches, and shows the same screen when attached again', async () => {
    await shell('twice');
    using desk = new DeskTerminal(['attach', 'twice'], env);
    await desk.screen.sees(/^\$$/m);
    desk.presses('echo first-$((6*7))\r');
    await desk.screen.sees(/^first-42\n\$$/m);
    desk.presses(DETACH);
    expect(await desk.ended).toBe(0);
    expect(desk.screen.text).toMatch(/\[detached from twice; still running\]$/);

    using again = new DeskTerminal(['attach', 'twice'], env);
    await again.screen.sees(/^first-42\n\$$/m);
    again.presses('exit 7\r');
    expect(await again.ended).toBe(7);
    expect(again.screen.text).toMatch(/\[twice has ended: exit code 7\]$/);
  });

  it.each([
    ['attach', 'plain', ['attach', 'own-plain']],
    ['attach --read-only', 'watched', ['attach', '--read-only', 'own-watched']],
    ['new --attach with its key', 'keyed', ['new', '--attach', '--key', 'key-keyed']],
  ])('[U5] refuses the session that it runs in: %s', async (_what, which, args) => {
    const name = `own-${which}`;
    const { id } = await other.client.create({
      name,
      key: `key-${which}`,
      cols: 80,
      rows: 24,
      command: 'sh',
      env: { PS1: PROMPT },
    });
    const { screen, session } = other.attach(id);
    const command = [process.execPath, BIN, ...args].join(' ');
    const variables = Object.entries(env).map(([variable, value]) => `${variable}=${value}`);
    typeInto(session, `${variables.join(' ')} ${command} 2>${dir}/refused; echo code-$?\r`);
    await screen.sees(/^code-1$/m);
    expect(readFileSync(join(dir, 'refused'), 'utf8')).toMatch(
      new RegExp(`^holdfast \\w+: this shell already runs in session "${name}"; .*use --force\\n$`),
    );
    await other.client.close(id);
  });

  it('[U5] accepts it with --force or if the variable is unset', async () => {
    await shell('inner');
    const { id } = await other.client.create({
      name: 'outer',
      cols: 80,
      rows: 24,
      command: 'sh',
      env: { PS1: PROMPT },
    });
    const inner = (await other.client.list()).find(({ name }) => name === 'inner')?.id ?? '';
    expect(inner).not.toBe('');
    for (const [variable, args] of [
      [inner, ['attach', '--force', 'inner']],
      [undefined, ['attach', 'inner']],
      [id, ['attach', 'inner']],
    ] as const) {
      using desk = new DeskTerminal(args, { ...env, TERM_SESSION_ID: variable });
      await desk.screen.sees(/^\$$/m);
      desk.presses(DETACH);
      expect(await desk.ended).toBe(0);
    }
  });

  it('[OU2] reconnects by itself after a cut, types once what was typed meanwhile, and shows what others see', async () => {
    const id = await shell('cut');
    const page = other.attach(id);
    using desk = new DeskTerminal(['attach', 'cut'], env);
    await desk.screen.sees(/^\$$/m);
    desk.presses('n=0; c() { n=$((n+1)); echo call-$n; }\r');
    await desk.screen.sees(/echo call-\$n; \}\n\$$/m);
    proxy.down();
    typeInto(page.session, 'echo meanwhile-$((6*7))\n');
    await page.screen.sees(/^meanwhile-42$/m);
    desk.presses('c\r');
    // The outage is long, so the last row says so; then it is redrawn. Earlier input may not have been acknowledged.
    await desk.screen.sees(/holdfast: reconnecting \(.+\); \d+ bytes typed and kept/);
    proxy.up();
    await desk.screen.sees(/^call-1\n\$$/m);
    await page.screen.sees(/^call-1\n\$$/m);
    expect(desk.screen.text).not.toMatch(/holdfast|call-2/);
    const lines = page.screen.text.split('\n').length;
    expect(lastLines(desk.screen.text, lines)).toBe(page.screen.text);
    desk.presses(DETACH);
    await desk.ended;
  });

  it('[OU14] types no answers of the local terminal: the program gets each answer once, from the agent', async () => {
    using program = await RecordingProgram.start(other);
    using desk = new DeskTerminal(['attach', program.id], env);
    await program.prints('ready ');
    await desk.screen.sees(/ready/);
    await program.prints(EVERY_QUERY);
    await program.got(LAST_ANSWER);
    await program.prints('\r\nquiet');
    await desk.screen.sees(/quiet/);
    desk.presses('x');
    await program.got('x');
    expect(program.typed.slice(0, -1)).toMatch(EVERY_ANSWER);
    expect(desk.said).toBe(TO_ATTACH_ITSELF);
    desk.presses(DETACH);
    await desk.ended;
  });

  it('[OU14] types nothing during a replay, even with focus reports and mouse tracking on', async () => {
    using program = await RecordingProgram.start(other);
    await program.prints('\x1b[?1004h\x1b[?1003h\x1b[?1006h\x1b[?2004hready');
    using desk = new DeskTerminal(['attach', program.id], env);
    await desk.screen.sees(/ready/);
    desk.presses('x');
    await program.got('x');
    expect([program.typed, desk.said]).toEqual(['x', TO_ATTACH_ITSELF]);
  });

  it('restores the terminal: main screen, no mouse, no bracketed paste, cursor visible, default colours', async () => {
    const id = await shell('modes', [
      '-c',
      String.raw`printf '\033[?1049h\033[?1003h\033[?1006h\033[?2004h\033[?25l\033[?1h\033[41mALT'; read x`,
    ]);
    using desk = new DeskTerminal(['attach', id], env);
    await desk.screen.sees(/ALT/);
    expect(desk.screen.modes).toMatchObject({ mouseTrackingMode: 'any', bracketedPasteMode: true });
    desk.presses(DETACH);
    await desk.ended;
    expect(desk.screen.modes).toMatchObject({
      applicationCursorKeysMode: false,
      bracketedPasteMode: false,
      mouseTrackingMode: 'none',
    });
    expect(desk.screen.isAlternate).toBe(false);
    expect(desk.written).toMatch(/\[\?7;25h[^A]*\[0m/);
  });

  it('[OU11] resizes the program to this window, unless it only watches', async () => {
    const id = await shell('sized');
    using desk = new DeskTerminal(['attach', id], env, { size: { cols: 100, rows: 30 } });
    await desk.screen.sees(/^\$$/m);
    desk.presses('stty size\r');
    await desk.screen.sees(/^30 100$/m);
    const page = other.attach(id);
    desk.resize({ cols: 61, rows: 21 });
    await expect.poll(() => page.screen.size.cols).toBe(61);
    desk.presses('stty size\r');
    await desk.screen.sees(/^21 61$/m);

    using watcher = new DeskTerminal(['attach', '--read-only', id], env, { size: { cols: 90, rows: 25 } });
    await watcher.screen.sees(/^21 61$/m);
    watcher.presses('echo must-not-be-typed\r');
    desk.presses('stty size; echo end-$((6*7))\r');
    await watcher.screen.sees(/^21 61\nend-42$/m);
    expect(watcher.screen.text).not.toMatch(/must-not/);
    watcher.presses(DETACH);
    expect(await watcher.ended).toBe(0);
  });

  it('[OU11] takes over the size if its window is too small for the screen, and shows what fits', async () => {
    const id = await shell('squeezed', ['-c', 'seq 1 9; exec sh']);
    using tall = new DeskTerminal(['attach', id], env, { size: { cols: 120, rows: 40 } });
    await tall.screen.sees(/^9\n\$$/m);
    tall.presses('stty size\r');
    await tall.screen.sees(/^40 120\n\$$/m);

    using desk = new DeskTerminal(['attach', id], env);
    await desk.screen.sees(/^9\n\$\nstty size\n40 120\n\$$/m);
    await expect.poll(() => desk.screen.visible).toMatch(/^1\n2\n.*\n40 120\n\$$/s);
    desk.presses('stty size\r');
    await desk.screen.sees(/^24 80\n\$$/m);

    using watcher = new DeskTerminal(['attach', '-r', id], env, { size: { cols: 60, rows: 20 } });
    await watcher.screen.sees(/^24 80$/m);
    desk.presses('stty size; echo end-$((6*7))\r');
    await desk.screen.sees(/^24 80\nend-42$/m);
  });

  it('prints its state to stderr, never to the output', async () => {
    const id = await shell('said');
    const log = join(dir, 'stderr');
    using desk = new DeskTerminal(['attach', id], env, { stderr: log });
    await desk.screen.sees(/^\$$/m);
    proxy.cut();
    await expect
      .poll(() => readFileSync(log, 'utf8'))
      .toMatch(/reconnecting \(.*\)\n(.*\n)*holdfast: connected\n$/);
    desk.presses('echo back-$((6*7))\r');
    await desk.screen.sees(/^back-42\n\$$/m);
    desk.presses(DETACH);
    expect(await desk.ended).toBe(0);
    expect(readFileSync(log, 'utf8')).toMatch(/\[detached from said; still running\]\n$/);
    expect(desk.written).not.toMatch(/holdfast|detached/);
  });

  it('with another detach key passes Ctrl-] to the program', async () => {
    using program = await RecordingProgram.start(other);
    await program.prints('ready');
    using desk = new DeskTerminal(['attach', '--detach-key', 'ctrl-q', program.id], env);
    await desk.screen.sees(/ready/);
    desk.presses(DETACH);
    await program.got(DETACH);
    desk.presses('\x11');
    expect(await desk.ended).toBe(0);
  });

  it('exits cleanly on a signal, and the session keeps running', async () => {
    const id = await shell('signalled');
    using desk = new DeskTerminal(['attach', id], env);
    await desk.screen.sees(/^\$$/m);
    desk.signal('SIGTERM');
    expect(await desk.ended).toBe(143);
    expect((await other.client.list()).find((one) => one.id === id)?.status).toBe('running');
  });

  it('reports a session closed elsewhere, a missing session, and a missing terminal', async () => {
    const id = await shell('closed');
    using desk = new DeskTerminal(['attach', id], env);
    await desk.screen.sees(/^\$$/m);
    await other.client.close(id);
    expect(await desk.ended, 'as its program ended').toBe(129);
    expect(desk.screen.text).toMatch(/\[closed has ended: SIGHUP\]$/);
    expect(await holdfast(['attach', 'nowhere'], { env })).toMatchObject({ code: 66 });
    await shell('pipe');
    const { code, err } = await holdfast(['attach', 'pipe'], { env });
    expect([code, err]).toEqual([2, expect.stringMatching(/this needs a terminal/)]);
  });
});

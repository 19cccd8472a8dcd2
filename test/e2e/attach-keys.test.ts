/** `holdfast attach` in a terminal with a keyboard that programs can choose. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { KeyState } from '../../protocol/terminal/keyboard/key-modes.ts';
import { DeskTerminal } from '../support/holdfast-command.ts';
import { RecordingProgram } from '../support/recording-program.ts';
import { World } from '../support/world.ts';
import { terminal } from '../vm-agent/screen/terminal-state.ts';

let world: World;
let env: Record<string, string>;
const dir = mkdtempSync(join(tmpdir(), 'holdfast-attach-keys-'));

beforeAll(async () => {
  world = await World.open();
  const file = join(dir, 'token');
  writeFileSync(file, await world.relay.token('operator'), { mode: 0o600 });
  env = {
    HOLDFAST_RELAY: world.relay.url.href,
    HOLDFAST_WORKSPACE: world.relay.workspace,
    HOLDFAST_TOKEN_FILE: file,
  };
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true });
});

/** What the user's shell had asked of the keyboard. */
const BEFORE = '\x1b[=2u';

/** The keyboard of a terminal to which this was written. */
function keysAfter(written: string): KeyState {
  const own = terminal({ cols: 80, rows: 24 });
  own.write(new TextEncoder().encode(BEFORE + written));
  return own.keys.state;
}

it('[T2] [OU14] this terminal has the keyboard that the program wants, and its own again after the detach key', async () => {
  using program = await RecordingProgram.start(await world.client());
  await program.prints('\x1b[>1u\x1b[?1049h\x1b[>3u\x1b[>5u\x1b[>4;1mready');
  using desk = new DeskTerminal(['attach', program.id], env);
  await desk.screen.sees(/ready/);
  const wanted = { normal: [2, 1], alternate: [0, 5], otherKeys: 1 };
  await expect.poll(() => keysAfter(desk.written)).toEqual(wanted);
  desk.presses('\x1b[13;2u');
  await program.got('\x1b[13;2u');
  desk.presses('\x1b[93;5u');
  await desk.ended;
  expect(program.typed).toBe('\x1b[13;2u');
  expect(keysAfter(desk.written)).toEqual({ normal: [2], alternate: [0], otherKeys: 0 });
});

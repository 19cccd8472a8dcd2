/** Which processes are keepers. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  isKeeper,
  isKeeperLine,
  looksLikeKeeper,
  runningKeepers,
  startingKeepers,
} from '../../../vm-agent/reload/running-keepers.ts';
import { hasProc, unlessProc } from '../../support/needs-proc.ts';

const dir = mkdtempSync(join(tmpdir(), 'holdfast-keepers-'));
const started: ChildProcess[] = [];
afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
  rmSync(dir, { recursive: true });
});

/** Starts a program with a file that is named like a keeper's, and waits for its first output. */
async function startWith(name: string, program: string, args: readonly string[], code: string) {
  mkdirSync(join(dir, name));
  const file = join(dir, name, 'keeper.js');
  writeFileSync(file, code);
  const child = spawn(program, [...args, file], { stdio: ['ignore', 'pipe', 'ignore'] });
  started.push(child);
  await once(child.stdout, 'data');
  return { pid: child.pid as number, line: [program, ...args, file].join('\0') };
}

const WAITS = "setInterval(() => {}, 60_000); console.log('started');";

describe.skipIf(!hasProc)(`a process with a file of the keeper in its command line${unlessProc}`, () => {
  it.each([
    { what: 'another program', name: 'tail', program: 'tail', args: ['-f'], code: 'one line\n', is: false },
    {
      what: 'Node, if it does not handle the signal',
      name: 'deaf',
      program: process.execPath,
      args: [],
      code: WAITS,
      is: false,
    },
    {
      what: 'Node, if it handles the signal',
      name: 'keeper',
      program: process.execPath,
      args: [],
      code: `process.on('SIGURG', () => {}); ${WAITS}`,
      is: true,
    },
  ])('[K4] is a keeper: $is for $what', async ({ name, program, args, code, is }) => {
    const { pid, line } = await startWith(name, program, args, code);
    expect(isKeeperLine(line)).toBe(true);
    expect(isKeeper(pid)).toBe(is);
    expect(runningKeepers()?.some((keeper) => keeper.pid === pid)).toBe(is);
    // Node may be one that is just starting.
    const isNode = program === process.execPath;
    expect(looksLikeKeeper(pid)).toBe(isNode);
    expect(startingKeepers().includes(pid)).toBe(isNode && !is);
  });
});

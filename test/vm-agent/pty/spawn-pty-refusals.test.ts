/** Real shells in real terminals: programs that cannot be started. Tests wait for printed output or for the end of a program. */
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../protocol/errors.ts';
import { endsPrograms, file, folder, openFiles, run } from './real-shell.ts';

endsPrograms();

describe('a refused start', () => {
  const plain = file('plain', '#!/bin/sh\n');
  chmodSync(plain, 0o644);

  it.each([
    {
      why: 'no such directory',
      spec: { cwd: '/nowhere/at/all' },
      code: 'cwd_missing',
      says: '"/nowhere/at/all" does not exist',
    },
    {
      why: 'a file instead of a directory',
      spec: { cwd: plain },
      code: 'cwd_missing',
      says: 'is not a directory',
    },
    {
      why: 'a path through a file',
      spec: { cwd: `${plain}/x` },
      code: 'cwd_missing',
      says: 'does not exist',
    },
    {
      why: 'no such program',
      spec: { command: '/nowhere/sh' },
      code: 'command_missing',
      says: '"/nowhere/sh" does not exist',
    },
    {
      why: 'no such program in PATH',
      spec: { command: 'no-such-sh' },
      code: 'command_missing',
      says: ' in /',
    },
    {
      why: 'an empty PATH',
      spec: { env: { PATH: '/nowhere' } },
      code: 'command_missing',
      says: 'in /nowhere',
    },
    {
      why: 'a relative path that does not exist',
      spec: { command: './sh' },
      code: 'command_missing',
      says: '"./sh"',
    },
    {
      why: 'a file that is not executable',
      spec: { command: plain },
      code: 'not_executable',
      says: 'chmod +x',
    },
    {
      why: 'the same, found in PATH',
      spec: { command: 'plain', env: { PATH: folder } },
      code: 'not_executable',
      says: 'EACCES',
    },
    {
      why: 'a directory instead of a program',
      spec: { command: '/' },
      code: 'not_executable',
      says: 'is not a file',
    },
    {
      why: 'a path with a NUL in it',
      spec: { cwd: '/tmp\0' },
      code: 'cwd_missing',
      says: 'may not be entered',
    },
  ])('[F19] names $why', async ({ spec, code, says }) => {
    const before = openFiles();
    let refusal: unknown;
    try {
      run('exit 0', spec);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(Refusal);
    expect(refusal).toMatchObject({ code, message: expect.stringContaining(says) });
    await expect.poll(openFiles).toBeLessThanOrEqual(before);
  });

  it('skips files on PATH that may not be run, and directories', async () => {
    writeFileSync(join(folder, 'greet'), 'echo hello');
    chmodSync(join(folder, 'greet'), 0o755);
    const other = mkdtempSync(join(folder, 'bin-'));
    writeFileSync(join(other, 'greet'), '');
    for (const spec of [
      { command: './greet' },
      { command: 'greet', env: { PATH: `${other}:${folder}:/bin` } },
    ]) {
      const { exit, output } = run('', { args: [], ...spec });
      await exit;
      expect(output().toString()).toBe('hello\r\n');
    }
  });

  it('does not happen to sh without a PATH', async () => {
    expect(await run('exit 4', { env: {} }).exit).toEqual({ code: 4, signal: null });
  });
});

/** Continuing with a program of an earlier keeper. test/e2e/keeper-upgrade.test.ts does it after a real exec. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { adoptWith, inheritanceTrouble } from '../../../vm-agent/pty/adopt-pty.ts';
import { procReader } from '../../../vm-agent/pty/adopted-exits.ts';
import { processStat, sessionMembers } from '../../../vm-agent/pty/process-session.ts';
import type { Exit, OwnedPty, PtyEvents, SavedPty } from '../../../vm-agent/pty/pty.ts';
import { spawnPty } from '../../../vm-agent/pty/spawn-pty.ts';
import { hasProc, unlessProc } from '../../support/needs-proc.ts';
import { uncollectedChild } from './uncollected-child.ts';

const SPEC = {
  command: '/bin/sh',
  args: ['-c', 'read line'],
  cwd: '/',
  env: {},
  size: { cols: 80, rows: 24 },
};

/** A program, and how it ended. */
function listening(start: (events: PtyEvents) => OwnedPty) {
  const ended = Promise.withResolvers<Exit>();
  const pty = start({ output: () => {}, exited: (exit) => ended.resolve(exit) });
  return { pty, ended: ended.promise };
}

const saved = (terminal: SavedPty['terminal'], pid = 2 ** 22 + 1): SavedPty => ({
  ...{ pid, bornAt: undefined, terminal, ended: null, waiting: [] },
});

describe.skipIf(!hasProc)(`a terminal that another keeper shall continue with${unlessProc}`, () => {
  it('[K4] stays open for an exec, as it was started', async () => {
    const { pty, ended } = listening((events) => spawnPty(SPEC, events));
    expect(pty.save()).toMatchObject({ pid: pty.pid, bornAt: pty.bornAt, ended: null, waiting: [] });
    expect(inheritanceTrouble(pty.save())).toBeNull();
    pty.write(Buffer.from('\n'), () => {});
    await ended;
    expect(pty.save().terminal).toBeNull();
    expect(inheritanceTrouble(pty.save())).toBeNull();
  });

  it('[K4] is refused if it would be closed, or is not the terminal', () => {
    // Node opens with close-on-exec.
    const fd = openSync('/dev/ptmx', 'r+');
    try {
      const [, index] = /tty-index:\s*(\d+)/.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? [];
      const path = `/dev/pts/${index}`;
      expect(inheritanceTrouble(saved({ fd, path }))).toBe(`descriptor ${fd} would be closed`);
      expect(inheritanceTrouble(saved({ fd, path: '/dev/pts/x' }))).toBe(
        `descriptor ${fd} is not /dev/pts/x`,
      );
      expect(inheritanceTrouble(saved({ fd: 1, path }))).toBe(`descriptor 1 is not ${path}`);
    } finally {
      closeSync(fd);
    }
  });

  it('[K4] that is not there ends its program, and how is unknown', async () => {
    const program = spawn('sleep', ['1000']);
    const lost: string[] = [];
    const adopt = adoptWith((pid, why) => lost.push(`${pid === program.pid} ${why}`));
    const end = once(program, 'exit');
    const terminal = { fd: 1, path: '/dev/pts/0' };
    const { pty, ended } = listening((events) => adopt(saved(terminal, program.pid as number), events));
    expect(await ended).toEqual({ code: null, signal: null });
    expect((await end)[1]).toBe('SIGKILL');
    expect([lost, pty.save().terminal]).toEqual([['true descriptor 1 is not /dev/pts/0'], null]);
  });

  it('[K4] of a program whose end was not told yet tells it', async () => {
    const { pty, ended } = listening((events) => spawnPty(SPEC, events));
    pty.pause();
    pty.write(Buffer.from('\n'), () => {});
    await expect.poll(() => pty.save().ended).toEqual({ code: 0, signal: null });
    pty.resume();
    expect(await ended).toEqual({ code: 0, signal: null });
  });

  it('[K4] of a program is not signalled any more when only its zombie is left', async () => {
    await using child = await uncollectedChild(0);
    await expect.poll(() => procReader.stat(child.pid)).toMatchObject({ status: 0 });
    expect(sessionMembers(child.pid, undefined)).toEqual([]);
    expect(sessionMembers(child.parent, processStat(child.parent)?.bornAt)).toEqual([child.parent]);
  });
});

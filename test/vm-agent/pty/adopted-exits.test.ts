/** How a program ended that an earlier keeper started. */
import { describe, expect, it } from 'vitest';
import { AdoptedExits, procReader } from '../../../vm-agent/pty/adopted-exits.ts';
import {
  type ChildStat,
  childStatIn,
  exitOfStatus,
  UNKNOWN_EXIT,
} from '../../../vm-agent/pty/exit-status.ts';
import { hasProc, unlessProc } from '../../support/needs-proc.ts';
import { uncollectedChild } from './uncollected-child.ts';

/** /proc/<pid>/stat with this state, so many threads, this start time and this status. */
function statText(state: string, threads: number, bornAt: string, status: number): string {
  const fields = Array.from({ length: 50 }, () => '0');
  fields[0] = state;
  fields[17] = `${threads}`;
  fields[19] = bornAt;
  fields[49] = `${status}`;
  return `7 (a) Z (b) ${fields.join(' ')}\n`;
}

describe('the status of a child', () => {
  it.each([
    ['sleeping', 'S', 1, null],
    ['a zombie', 'Z', 1, { bornAt: '55', status: 1792 }],
    ['dead', 'X', 1, { bornAt: '55', status: 1792 }],
    ['a zombie whose other threads run', 'Z', 2, null],
  ])('[K3] of one that is %s', (_what, state, threads, stat) => {
    expect(childStatIn(statText(state, threads, '55', 1792))).toEqual(stat);
  });

  it.each([
    [0, { code: 0, signal: null }],
    [7 << 8, { code: 7, signal: null }],
    [255 << 8, { code: 255, signal: null }],
    [15, { code: null, signal: 'SIGTERM' }],
    [0x80 | 11, { code: null, signal: 'SIGSEGV' }],
    [63, { code: null, signal: 'SIG63' }],
  ])('[K3] %s is an exit', (status, exit) => {
    expect(exitOfStatus(status)).toEqual(exit);
  });
});

describe('the exits of programs of an earlier keeper', () => {
  function watching(...children: { pid: number; bornAt: string | undefined }[]) {
    const stats = new Map<number, ChildStat>();
    const hidden = new Set<number>();
    const heard: string[] = [];
    const exits = new AdoptedExits({ stat: (pid) => stats.get(pid), isTold: (pid) => !hidden.has(pid) });
    for (const child of children) {
      stats.set(child.pid, null);
      exits.watch({ ...child, ended: ({ code, signal }) => heard.push(`${child.pid} ${code} ${signal}`) });
    }
    return { stats, hidden, heard, exits };
  }

  it('[K3] [K4] are told once each, also if one signal stands for several', () => {
    const { stats, heard, exits } = watching(
      { pid: 1, bornAt: 'a' },
      { pid: 2, bornAt: 'b' },
      { pid: 3, bornAt: undefined },
    );
    exits.look();
    expect(heard).toEqual([]);
    stats.set(1, { bornAt: 'a', status: 7 << 8 });
    stats.set(3, { bornAt: 'c', status: 15 });
    exits.look();
    exits.look();
    expect(heard).toEqual(['1 7 null', '3 null SIGTERM']);
  });

  it('[K3] [K4] are unknown if the system does not tell them', () => {
    const { stats, hidden, heard, exits } = watching(
      { pid: 1, bornAt: 'a' },
      { pid: 2, bornAt: 'b' },
      { pid: 3, bornAt: 'c' },
    );
    stats.delete(1); // collected
    stats.set(2, { bornAt: 'later', status: 0 }); // its number belongs to another process
    stats.set(3, { bornAt: 'c', status: 0 });
    hidden.add(3);
    exits.look();
    expect(heard).toEqual(['1 null null', '2 null null', '3 null null']);
    expect(UNKNOWN_EXIT).toEqual({ code: null, signal: null });
  });

  it.skipIf(!hasProc)(`[K3] [K4] are read from /proc: a real child${unlessProc}`, async () => {
    const child = await uncollectedChild(7);
    await expect.poll(() => procReader.stat(child.pid)).toMatchObject({ status: 7 << 8 });
    expect([procReader.isTold(child.pid), procReader.isTold(child.parent)]).toEqual([true, true]);
    expect(procReader.stat(child.parent)).toBeNull();
    await child[Symbol.asyncDispose]();
    expect(procReader.stat(child.parent)).toBeUndefined();
  });
});

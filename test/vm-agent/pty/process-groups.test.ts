import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { isUnstarted } from '../../../vm-agent/pty/foreground.ts';
import {
  descendantsOf,
  groupMember,
  ProcessGroups,
  processStat,
} from '../../../vm-agent/pty/process-session.ts';
import { hasProc, unlessProc } from '../../support/needs-proc.ts';

describe.skipIf(!hasProc)(`processes by their group${unlessProc}`, () => {
  it('[AG9] are read again after a second, however often they are requested', () => {
    let now = 0;
    let reads = 0;
    const groups = new ProcessGroups(
      () => now,
      () => {
        reads++;
        return [process.pid];
      },
    );
    const own = processStat(process.pid)?.group ?? 0;
    for (let asked = 0; asked < 100; asked++) expect(groups.members(own)).toEqual([process.pid]);
    now = 999;
    expect(groups.members(own)).toEqual([process.pid]);
    expect(reads).toBe(1);
    now = 1000;
    expect(groups.members(own)).toEqual([process.pid]);
    expect(reads).toBe(2);
  });

  it('are found among all processes if the session leader is not their parent', () => {
    const { group = 0, session = 0 } = processStat(process.pid) ?? {};
    expect(processStat(groupMember(group, session) ?? 0)?.group).toBe(group);
    expect(groupMember(group, session + 1)).toBeUndefined();
  });
});

describe('the descendants of a program', () => {
  it('are found even if they are a chain that is longer than the stack is deep', () => {
    const chain = Array.from({ length: 100_000 }, (_, at) => ({
      pid: at + 2,
      parent: at + 1,
      bornAt: `${at}`,
    }));
    expect(descendantsOf([1], chain)).toHaveLength(chain.length);
  });

  it('are found once, also if processes seem to be their own ancestors', () => {
    const circle = [
      { pid: 1, parent: 2, bornAt: 'a' },
      { pid: 2, parent: 1, bornAt: 'b' },
    ];
    expect(descendantsOf([1, 2], circle)).toHaveLength(2);
  });
});

describe.skipIf(!hasProc)(`a program that is about to start${unlessProc}`, () => {
  it('[U12] is not confused with the agent, whose command line it has until then', async () => {
    expect(isUnstarted(process.pid)).toBe(true);
    const program = spawn('sleep', ['1000'], { stdio: 'ignore' });
    await once(program, 'spawn');
    expect(isUnstarted(program.pid ?? 0)).toBe(false);
    program.kill();
  });
});

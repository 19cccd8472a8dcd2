/** Which keeper a reload is for, and how its result is seen. */
import { describe, expect, it } from 'vitest';
import { chooseKeeper } from '../../../vm-agent/reload/choose-keeper.ts';
import { KeeperReplacement, SETTLED_MS } from '../../../vm-agent/reload/keeper-replacement.ts';
import { Replacement } from '../../../vm-agent/reload/replacement.ts';
import { isKeeperLine } from '../../../vm-agent/reload/running-keepers.ts';

const KEEPERS = [
  { pid: 11, workspace: 'a' },
  { pid: 12, workspace: 'b' },
  { pid: 13, workspace: 'b' },
  { pid: 14, workspace: undefined },
];

describe('the keeper of a reload', () => {
  it.each([
    ['the only one', [{ pid: 11, workspace: 'a' }], undefined, 11],
    ['the one of the workspace', KEEPERS, 'a', 11],
    [
      'not one of several',
      KEEPERS,
      'b',
      'There are 2 keepers of this user for the workspace "b": 12 (b), 13 (b). Give --pid.',
    ],
    [
      'not one of another workspace',
      [{ pid: 11, workspace: 'a' }],
      'c',
      'There is no keeper of this user for the workspace "c". Others are 11 (a); --pid chooses one.',
    ],
    [
      'not one that may be of another workspace',
      [{ pid: 14, workspace: undefined }],
      'a',
      'There is no keeper of this user for the workspace "a". Others are 14 (without an agent now); --pid chooses one.',
    ],
    ['not one of nothing', [], undefined, 'There is no keeper of this user.'],
  ])('is %s', (_what, keepers, workspace, chosen) => {
    expect(chooseKeeper(keepers, workspace)).toBe(chosen);
  });
});

describe('the command line of a keeper', () => {
  it.each([
    ['holdfast keeper --workspace a\0', true],
    ['holdfast keeper\0\0\0', true],
    ['/usr/bin/node\0/opt/holdfast/agent/keeper.js\0', true],
    ['node\0/srv/holdfast/vm-agent/keeper/main.ts\0--relay\0x\0', true],
    ['/usr/bin/node\0/opt/keeper/agent/main.js\0', false],
    ['holdfast keepers\0', false],
    ['vim\0/opt/holdfast/agent/keeper.jsx\0', false],
    ['', false],
  ])('%j: %s', (line, is) => {
    expect(isKeeperLine(line)).toBe(is);
  });
});

describe('a replacement', () => {
  const outcomes = (before: number[], ...seen: number[][]) => {
    const replacement = new Replacement(before);
    return seen.map((agents) => replacement.look(agents));
  };

  it.each([
    [
      'the new one boots beside the old one, which then leaves',
      [1],
      [[1], [1, 2], [2]],
      [null, null, 'replaced'],
    ],
    ['the new one ends before it took over', [1], [[1, 2], [1]], [null, 'failed']],
    ['both are seldom seen together', [1], [[1], [2]], [null, 'replaced']],
    ['there is none for a moment', [1], [[1, 2], [], [2]], [null, null, 'replaced']],
    ['there was none before', [], [[], [2]], [null, 'replaced']],
  ])('%s', (_what, before, seen, expected) => {
    expect(outcomes(before, ...seen)).toEqual(expected);
  });
});

describe('a keeper that replaces itself', () => {
  const before = { takeOvers: 1, isChecking: false, agents: [5] };
  const checking = { ...before, isChecking: true };

  it.each([
    [
      'it checks, is another one, and starts an agent',
      [
        [checking, 0],
        [before, 1],
        [{ ...before, takeOvers: 2, agents: [] }, 2],
        [{ ...before, takeOvers: 2, agents: [6] }, 3],
      ],
      [null, null, null, 'replaced'],
    ],
    ['the check was not seen', [[{ ...before, takeOvers: 2, agents: [6] }, 9]], ['replaced']],
    [
      'it has not begun',
      [
        [before, 0],
        [before, 60_000],
      ],
      [null, null],
    ],
    [
      'nothing follows the check',
      [
        [checking, 0],
        [before, 10],
        [before, 9 + SETTLED_MS],
        [before, 10 + SETTLED_MS],
      ],
      [null, null, null, 'failed'],
    ],
    [
      'another check begins',
      [
        [checking, 0],
        [before, 10],
        [checking, 20],
        [before, 30],
        [before, 10 + SETTLED_MS],
      ],
      [null, null, null, null, null],
    ],
  ] as const)('[K4] %s', (_what, seen, expected) => {
    const replacement = new KeeperReplacement(before);
    expect(seen.map(([sight, now]) => replacement.look(sight, now))).toEqual(expected);
  });
});

/** The table of `holdfast commands`. */
import { expect, it } from 'vitest';
import { commandTable, duration } from '../../../cli/client/command-table.ts';

it('[T3] shows commands without what a terminal would interpret', () => {
  const rest = { startedAt: '2026-11-17T10:00:00.000Z', outputFrom: 0, outputTo: 1, verified: true };
  const table = commandTable([
    { number: 9, commandLine: 'make \x1b[31m\nall', durationMs: 1234, exitCode: 2, ...rest },
    { number: 10, commandLine: null, durationMs: null, exitCode: null, ...rest },
  ]);
  expect(table).toBe(
    [
      'NUMBER  EXIT  DURATION  COMMAND',
      '9       2     1.2 s     make [31m all',
      '10      -     -         -',
    ].join('\n'),
  );
});

it.each([
  [0, '0.0 s'],
  [59_949, '59.9 s'],
  [60_000, '1 min'],
  [7_000_000, '117 min'],
  [7_200_000, '2 h'],
])('[T3] %i ms are shown as %s', (ms, shown) => {
  expect(duration(ms)).toBe(shown);
});

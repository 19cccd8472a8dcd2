/** A short run of `npm run chaos`, and tests that its checks detect errors. */
import { describe, expect, it } from 'vitest';
import type { RunState } from '../../protocol/messages/run-state.ts';
import { seedsFor, tellStory } from '../support/property.ts';
import { runChaos } from './chaos-run.ts';
import { printLine, TypedDigest } from './checked-line.ts';
import { runViolations } from './command-runner.ts';
import { endingViolations } from './ending-program.ts';
import { StreamCheck } from './stream-check.ts';
import { Typist } from './typist.ts';

const FAULTS = 6;

const LINES = Array.from({ length: 9 }, (_, number) =>
  printLine({ number, kind: 'tick', what: '-' }).replace('\n', '\r\n'),
);

function check(lines: readonly (string | undefined)[]): readonly string[] {
  const stream = new StreamCheck();
  stream.take(new TextEncoder().encode(lines.join('')));
  return stream.violations;
}

describe('the check of a stream', () => {
  it('accepts a complete stream, however it is split', () => {
    const stream = new StreamCheck();
    for (const byte of new TextEncoder().encode(LINES.join(''))) stream.take(Uint8Array.of(byte));
    expect(stream.violations).toEqual([]);
    expect(stream.lines).toBe(LINES.length);
  });

  it.each([
    ['a loss', LINES.toSpliced(4, 1), ['lines 4 to 4 were lost']],
    ['a repetition', LINES.toSpliced(4, 0, LINES[3] ?? ''), ['line 3 came again after 3']],
    [
      'an exchange',
      LINES.with(4, LINES[5] ?? '').with(5, LINES[4] ?? ''),
      ['lines 4 to 4 were lost', 'line 4 came again after 5', 'lines 5 to 5 were lost'],
    ],
    ['an altered byte', LINES.with(4, (LINES[4] ?? '').replace('tick', 'tock')), [/^line 4 was altered/]],
    ['half a line', LINES.with(4, (LINES[4] ?? '').slice(5)), [/^line 4 was altered/]],
  ])('reports %s', (_, lines, violations) => {
    const found = check(lines);
    expect(found).toHaveLength(violations.length);
    for (const [i, violation] of violations.entries()) expect(found[i]).toMatch(violation);
  });
});

describe('the check of programs that end', () => {
  it.each([
    ['nothing', { exitCode: 7, text: 'last-line-7' }, 0],
    ['another exit code', { exitCode: 0, text: 'last-line-7' }, 1],
    ['no exit code', { exitCode: null, text: 'last-line-7' }, 1],
    ['a lost line', { exitCode: 7, text: '' }, 1],
    ['a line that came twice', { exitCode: 7, text: 'last-line-7\nlast-line-7' }, 1],
  ])('reports %s', (_, ending, violations) => {
    expect(endingViolations(ending, 7)).toHaveLength(violations);
  });
});

describe('the check of commands', () => {
  const told = (exitCode: number | null, output: string, state: RunState['state'] = 'done') =>
    ({ state, exitCode, output }) as RunState;
  const RAN = [
    { number: 0, exitCode: 3, told: told(3, 'out-0') },
    { number: 1, exitCode: 0, told: told(0, 'out-1') },
  ];

  it.each([
    ['nothing', RAN, [0, 1], 0],
    ['one that was run and not told yet', RAN, [0, 1, 2], 0],
    ['one that was run twice', RAN, [0, 1, 1], 1],
    ['one that was not run', RAN, [0], 1],
    ['one that was run late', RAN, [1, 0], 1],
    ['another exit code', [{ number: 0, exitCode: 3, told: told(null, 'out-0') }], [0], 1],
    [
      'one that is told not to have ended',
      [{ number: 0, exitCode: 0, told: told(0, 'out-0', 'taken_over') }],
      [0],
      1,
    ],
    ['other output', [{ number: 0, exitCode: 0, told: told(0, 'out-1') }], [0], 1],
  ])('reports %s', (_, ran, written, violations) => {
    expect(runViolations(ran, written)).toHaveLength(violations);
  });
});

describe('the check of typed input', () => {
  it.each([
    ['everything', ['one\r', 'two\r'], 0],
    ['a key lost', ['one\r', 'to\r'], 1],
    ['a key twice', ['one\r', 'ttwo\r'], 1],
    ['lines exchanged', ['two\r', 'one\r'], 2],
  ])('reports when the program received %s', async (_, heard, violations) => {
    const typist = new Typist(() => true);
    await typist.line('one');
    await typist.line('two');
    const digest = new TypedDigest();
    for (const [number, line] of heard.entries()) {
      digest.add(new TextEncoder().encode(line));
      typist.shown({ number, kind: 'heard', what: digest.what });
    }
    expect(typist.violations.length).toBeGreaterThanOrEqual(Math.min(1, violations));
    if (violations === 0) expect(typist.violations).toEqual([]);
  });
});

describe('chaos', () => {
  it.each(seedsFor('chaos'))(
    `[F2] [F7] [F8] [A1] loses, duplicates and reorders nothing over ${FAULTS} faults, and runs every command once (HOLDFAST_SEED=%d)`,
    async (seed) => {
      await tellStory('chaos', seed, async () => {
        const report = await runChaos({
          seed,
          faults: FAULTS,
          clients: 2,
          commands: 6,
          withPage: true,
          pace: { silenceMs: [100, 600], longSilenceMs: [100, 600], longChance: 0 },
        });
        expect(report.violations, report.story.join('\n')).toEqual([]);
        expect(report.faults).toBeGreaterThanOrEqual(FAULTS);
      });
    },
  );
});

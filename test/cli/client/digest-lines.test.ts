/** What people read about runs, digests and attention. Foreign text in it is printable. */
import { describe, expect, it } from 'vitest';
import { printedAmount } from '../../../cli/client/amounts.ts';
import { digestLines } from '../../../cli/client/digest-lines.ts';
import { runNotice } from '../../../cli/client/run-notice.ts';
import { sessionTable } from '../../../cli/client/session-table.ts';
import type { RunState } from '../../../protocol/messages/run-state.ts';
import { sessionInfo } from '../../support/scripted-session.ts';

const NOW = new Date(2026, 10, 17, 15, 0);
const at = (hours: number, minutes: number) => new Date(2026, 10, 17, hours, minutes).toISOString();
const EVIL = '\x1b[2J\u202eboo\n';

describe('[A6] a digest', () => {
  const digest = {
    ...{ session: 's1', name: 'build', finished: 3, failed: 1, printedBytes: 2_100_000 },
    commands: [
      {
        ...{ number: 2, commandLine: 'npm test', startedAt: at(13, 0), durationMs: 240_000, exitCode: 1 },
        ...{ outputFrom: 0, outputTo: 9, verified: true },
      },
    ],
    attention: { state: 'asks', text: 'Allow?', at: at(14, 2), offset: 9 },
  } as const;

  it('has a line for each session and for each command to look at', () => {
    expect(digestLines([digest as never], NOW).split('\n')).toEqual([
      'build: 3 commands finished, 1 failed · 2.1 MB printed · asks since 14:02: Allow?',
      '  npm test (exit 1, 4 min)',
    ]);
  });

  it('leaves out what did not happen, and says what is a guess', () => {
    const quiet = { ...digest, finished: 1, failed: 0, commands: [], printedBytes: 0 };
    expect(digestLines([{ ...quiet, attention: undefined } as never], NOW)).toBe('build: 1 command finished');
    const guessed = { ...digest.attention, guessed: true, text: '' };
    expect(digestLines([{ ...quiet, finished: 0, attention: guessed } as never], NOW)).toBe(
      'build: seems to ask since 14:02',
    );
  });

  it('[SEC19] is printable', () => {
    const evil = {
      ...digest,
      name: EVIL,
      commands: [{ ...digest.commands[0], commandLine: EVIL }],
      attention: { ...digest.attention, text: EVIL },
    };
    const lines = digestLines([evil as never], NOW).split('\n');
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toMatch(/^[^\p{Cc}\u202e]*$/u);
  });
});

describe('[A4] sessions that want attention', () => {
  const attention = {
    state: 'failed',
    text: `make ${EVIL}${'x'.repeat(60)}`,
    at: at(14, 0),
    offset: 1,
  } as const;

  it('are listed first, with the reason', () => {
    const rows = sessionTable([sessionInfo('s1'), sessionInfo('s2', { attention })], NOW).split('\n');
    expect(rows[0]).toMatch(/ATTENTION$/);
    expect(rows[1]).toMatch(/^s2 .*failed: make \[2Jboox+…$/);
    expect(rows[2]).toMatch(/^s1 /);
  });

  it('need no column while there are none', () => {
    expect(sessionTable([sessionInfo('s1')], NOW)).not.toContain('ATTENTION');
  });
});

describe('[A1] what is told about a run', () => {
  const DONE: RunState = {
    ...{ state: 'done', exitCode: 0, durationMs: 5, output: '', omittedBytes: 0, offset: 40, cwd: '/' },
  };
  const told = (state: Partial<RunState>) => runNotice({ ...DONE, ...state }, 'build', 60);

  it.each([
    ['nothing, when it is done', {}, []],
    ['that its exit code is unknown', { exitCode: null }, [/exit code/]],
    [
      'what is left out, and where it is',
      { omittedBytes: 10_000_000, command: 7 },
      [/10\.0 MB .*snapshot build --command 7/],
    ],
    ['what is left out', { omittedBytes: 12 }, [/^12 bytes of the output are left out$/]],
    [
      'that it runs, and how to go on',
      { state: 'running', program: 'make', command: 7 },
      [/^make is still running after 60 s; `holdfast wait build --command --since 40`/],
    ],
    ['how, in a shell that tells nothing', { state: 'running' }, [/; `holdfast attach build` shows it$/]],
    ['that it waits', { state: 'needs_input', program: 'sudo' }, [/^sudo waits for input; .*attach build/]],
    ['that it seems to', { state: 'needs_input', guessed: true }, [/^the command seems to wait for input/]],
    ['who took over', { state: 'taken_over', by: `Ada${EVIL}` }, [/^Ada\[2Jboo has taken the keyboard/]],
  ] as [string, Partial<RunState>, RegExp[]][])('%s', (_, state, lines) => {
    expect(told(state)).toEqual(lines.map((line) => expect.stringMatching(line)));
  });
});

it.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1000, '1.0 KB'],
  [999_949, '999.9 KB'],
  [999_950, '1.0 MB'],
  [2_100_000, '2.1 MB'],
])('%s bytes are %s', (bytes, text) => {
  expect(printedAmount(bytes)).toBe(text);
});

/** The words for what happened. */
import { describe, expect, it } from 'vitest';
import {
  commandEnded,
  LONG_COMMAND_MS,
  notedDuration,
  programEnded,
  waitingText,
} from '../../../vm-agent/attention/noted-texts.ts';

const COMMAND = {
  number: 1,
  commandLine: 'npm test',
  startedAt: '2026-01-01T00:00:00.000Z',
  durationMs: LONG_COMMAND_MS,
  exitCode: 0,
  outputFrom: 0,
  outputTo: 10,
  verified: true,
};

describe('[A4] what is noted', () => {
  it.each([
    [{}, { state: 'done', text: 'npm test (10 s)' }],
    [
      { exitCode: 1, durationMs: 240_000 },
      { state: 'failed', text: 'npm test (exit 1, 4 min)' },
    ],
    [{ exitCode: null }, { state: 'done', text: 'npm test (10 s)' }],
    [{ commandLine: null }, { state: 'done', text: 'A command (10 s)' }],
    [{ durationMs: LONG_COMMAND_MS - 1, exitCode: 1 }, null],
    [{ durationMs: null }, null],
  ])('of a command %j', (changes, noted) => {
    expect(commandEnded({ ...COMMAND, ...changes })).toEqual(noted);
  });

  it('of a long command says how it ended', () => {
    const noted = commandEnded({ ...COMMAND, commandLine: 'x'.repeat(2000), exitCode: 7 });
    expect(noted?.text).toMatch(/x \(exit 7, 10 s\)$/);
  });

  it.each([
    [
      { code: 0, signal: null },
      { state: 'done', text: 'Ended' },
    ],
    [
      { code: null, signal: null },
      { state: 'done', text: 'Ended' },
    ],
    [
      { code: 3, signal: null },
      { state: 'failed', text: 'Ended with exit code 3' },
    ],
    [
      { code: null, signal: 'SIGKILL' },
      { state: 'failed', text: 'Ended by SIGKILL' },
    ],
  ])('of a program %j', (exit, noted) => {
    expect(programEnded(exit)).toEqual(noted);
  });

  it('of a program that waits', () => {
    expect(waitingText({ echoOff: true, program: 'sudo' })).toBe('sudo waits for a password');
    expect(waitingText({ echoOff: false, program: null })).toBe('A program waits for input');
  });

  it.each([
    [9_400, '9 s'],
    [119_000, '119 s'],
    [121_000, '2 min'],
    [119 * 60_000, '119 min'],
    [3 * 3_600_000, '3 h'],
  ])('of %d ms', (ms, text) => {
    expect(notedDuration(ms)).toBe(text);
  });
});

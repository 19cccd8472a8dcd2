/** Text from other machines on its way to a person's terminal. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { TerminalStatusLine } from '../../../cli/attach/status-line.ts';
import { PLAIN } from '../../../cli/attach/tty-screen.ts';
import { findSession } from '../../../cli/client/find-session.ts';
import { sessionTable } from '../../../cli/client/session-table.ts';
import { snapshotText } from '../../../cli/commands/snapshot-text.ts';
import { createLog } from '../../../node/log.ts';
import { print, printJson, say } from '../../../node/print.ts';
import { answersOf } from '../../support/all-telling-terminal.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { sessionInfo } from '../../support/scripted-session.ts';

/** Writes the clipboard, sends a query, and reverses the text. */
const HOSTILE = '\x1b]52;c;aGk=\x07\u009b6n\x1b[6n\u202e';
/** Printable text, and line ends. */
const HARMLESS = /^[^\p{Cc}\u202e]*$/u;
const size = { cols: 80, rows: 24 };
const bytes = (text: string) => new TextEncoder().encode(text);

afterEach(() => vi.restoreAllMocks());

describe('text from other machines', () => {
  it('[SEC19] [X10] is printable in every column of the table of sessions', () => {
    const session = sessionInfo('s1', {
      name: HOSTILE,
      cwd: HOSTILE,
      foreground: HOSTILE,
      status: 'exited',
      signal: HOSTILE,
    });
    for (const line of sessionTable([session], new Date()).split('\n')) expect(line).toMatch(HARMLESS);
  });

  it('[X10] is printable in the message about ambiguous names', () => {
    const sessions = ['aaaa1', 'aaaa2'].map((id) => sessionInfo(id, { name: HOSTILE }));
    expect(() => findSession(sessions, 'aaaa')).toThrow(
      expect.objectContaining({ message: expect.stringMatching(HARMLESS) }),
    );
  });

  it('[X10] is printable in the status line, on a terminal and as lines', () => {
    const clock = new FakeClock();
    const written: string[] = [];
    const write = (text: string) => written.push(text);
    new TerminalStatusLine({ isTerminal: false, size, write }, clock, () => {}).tell(HOSTILE);
    expect(written.join('').trimEnd()).toMatch(HARMLESS);
    new TerminalStatusLine({ isTerminal: true, size, write }, clock, () => {}).tell(HOSTILE);
    clock.advance(10_000);
    for (const part of ['\x1b]', '\u009b', '\u202e', '\x1b[6n']) expect(written.join('')).not.toContain(part);
    expect(answersOf(written.join(''))).toBe('');
  });

  it('[X10] is printable in every line of output and every message', () => {
    const out = vi.spyOn(console, 'log').mockImplementation(() => {});
    const err = vi.spyOn(console, 'error').mockImplementation(() => {});
    print(HOSTILE);
    printJson({ text: HOSTILE });
    say(HOSTILE);
    for (const [line] of [...out.mock.calls, ...err.mock.calls]) expect(line).toMatch(HARMLESS);
    expect(JSON.parse(out.mock.calls[1]?.[0])).toEqual({ text: HOSTILE });
  });

  it.each([true, false])('[X10] is printable in the log of the agent (readable: %s)', (isPretty) => {
    const lines: string[] = [];
    createLog(
      (line) => lines.push(line),
      isPretty,
      () => new Date(0),
    )('warn', 'closed', { reason: `${HOSTILE}\nforged` });
    expect(lines).toEqual([expect.stringMatching(HARMLESS)]);
  });
});

describe('a snapshot', () => {
  const shown = (format: 'ansi' | 'text' | 'html', text: string, isTerminal: boolean) =>
    snapshotText({ format, bytes: bytes(text), size, isTerminal });

  it.each([true, false])('[X10] as ANSI contains only sequences that draw (terminal: %s)', (isTerminal) => {
    const text = shown('ansi', `\x1b[1mbold${HOSTILE}\x1b]52;c;dW5maW5pc2hlZA`, isTerminal);
    expect(text).toContain('\x1b[1mbold');
    expect(text).not.toContain(']52');
    expect(answersOf(text)).toBe('');
  });

  it('[X10] on a terminal stays on its screen and leaves no mode set', () => {
    const picture = '\x1b[?1049h\x1b[?1003hx';
    expect(shown('ansi', picture, true)).toBe(`\x1b[?1003hx${PLAIN}`);
    expect(PLAIN).toContain('\x1b[?5W'); // a program may have moved the tab stops
    expect(shown('ansi', picture, false)).toBe(picture);
  });

  it.each(['text', 'html'] as const)(
    '[X10] as %s contains no control characters, and ends its last line',
    (format) => {
      for (const isTerminal of [true, false])
        expect(shown(format, 'a\tb\n\x1b]52;c;aGk=\x07\u009b6n', isTerminal)).toBe('a\tb\n]52;c;aGk=6n\n');
    },
  );
});

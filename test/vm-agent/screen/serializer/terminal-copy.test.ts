/**
 * A copy of a terminal is serialised as the terminal was, even if that has changed since: recordings of real programs.
 */
import { describe, expect, it } from 'vitest';
import { LINKS_MAX_CHARS } from '../../../../protocol/limits.ts';
import type { Emulator } from '../../../../vm-agent/screen/emulator.ts';
import type { TerminalText } from '../../../../vm-agent/screen/serializer/terminal-text.ts';
import { outputOf, recordings } from '../recording.ts';
import { bytesOf, terminal } from '../terminal-state.ts';

/** More than a snapshot of what is recent has, and so few that the wreck replaces them all. */
const HISTORY_LINES = 300;

const FORMATS = ['ansi', 'text', 'html'] as const;
const SCOPES = ['screen', 'recent', 'all'] as const;

function copyOf(emulator: Emulator, scope: (typeof SCOPES)[number]): TerminalText {
  const steps = emulator.copy(scope);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function written(text: TerminalText, scope: (typeof SCOPES)[number]): unknown {
  const pieces = FORMATS.map((format) => [...text.pieces(format, scope)].join(''));
  return [
    ...pieces,
    text.linesAbove(scope),
    text.linesIn(scope),
    new TextDecoder().decode(text.pendingBytes),
  ];
}

/** Changes whatever a program can change: cells, modes, charsets, tab stops, colours, titles, saved cursors, links. */
function wreck(emulator: Emulator): void {
  const { cols, rows } = emulator.size;
  // In place first: what erases a row gives it new tables.
  emulator.write(bytesOf('\x18\x1b\\\x1b[?6l\x1b[4l\x1b[5G\x1bH\x1b[4:2m'));
  for (let row = 1; row <= rows; row++) emulator.write(bytesOf(`\x1b[${row}H${'o\u0308'.repeat(cols)}`));
  emulator.write(bytesOf('\x1b[?1049l\x1b[r\x1b[2J\x1b[3J\x1b[3g\x1b[5;5H\x1b[7;35;44m\x1b7'));
  emulator.write(
    bytesOf('\x1b(0\x1b)0\x0e\x1b[?1;6;7;25;45;66;1000;1004;1006;2004h\x1b[?25l\x1b[4h\x1b[20h\x1b[5 q'),
  );
  emulator.write(
    bytesOf('\x1b]2;another\x07\x1b]1;icon\x07\x1b]4;1;#123456\x07\x1b]10;#654321\x07\x1b]11;#010203\x07'),
  );
  emulator.setTheme({ foreground: '#111111', background: '#222222' });
  for (let row = 0; row < 2 * HISTORY_LINES; row++)
    emulator.write(bytesOf(`\x1b[4:3mother e\u0301 ${row}\r\n`));
  emulator.write(bytesOf('\x1b[?1049hthe other buffer\x1b[2;4r\x1b[3;3H\x1b7'));
  emulator.resize({ cols: 33, rows: 7 });
  emulator.write(bytesOf('\x1b[1;2'));
}

describe.each(recordings())('%s', (_name, recording) => {
  it.each(SCOPES)('[R1] [SEC15] is serialised as it was, with %s', (scope) => {
    const output = outputOf(recording);
    for (const part of [0.3, 0.6, 1]) {
      const emulator = terminal(recording, HISTORY_LINES);
      emulator.write(output.subarray(0, Math.floor(output.length * part)));
      const before = written(emulator.text, scope);
      const copy = copyOf(emulator, scope);
      expect(written(copy, scope)).toEqual(before);
      wreck(emulator);
      expect(written(copy, scope)).toEqual(before);
      expect(written(emulator.text, scope)).not.toEqual(before);
      emulator.dispose();
    }
  });
});

describe('a copy of a terminal', () => {
  const state =
    '\x1b[?1h\x1b[?2004h\x1b[?1002h\x1b[?1006h\x1b(0\x1b[3g\x1b[9G\x1bH\x1b[2;5r\x1b[3;4H\x1b[31m\x1b7\x1b[4:3m';

  it('[R1] has its own modes, charsets, tab stops, region, saved cursor, colours and marks', () => {
    const emulator = terminal({ cols: 40, rows: 8 }, HISTORY_LINES);
    emulator.write(
      bytesOf(`e\u0301\u0302 界\x1b[4:3mcurly\x1b[0m\x1b]4;1;#abcdef\x07\x1b]2;title\x07${state}x\x1b]0;cu`),
    );
    const before = written(emulator.text, 'all');
    const copy = copyOf(emulator, 'all');
    wreck(emulator);
    expect(written(copy, 'all')).toEqual(before);
  });

  it('[R1] keeps the links that the terminal forgets', () => {
    const emulator = terminal({ cols: 40, rows: 8 }, HISTORY_LINES);
    emulator.write(
      bytesOf('\x1b]8;;http://example.org/first\x1b\\link\x1b]8;id=2;http://example.org/open\x1b\\'),
    );
    const before = written(emulator.text, 'all');
    const copy = copyOf(emulator, 'all');
    emulator.write(bytesOf('\x1b]8;;\x1b\\\x1b[2J'));
    const target = 'x'.repeat(1000);
    for (let n = 0; n * target.length < 2 * LINKS_MAX_CHARS; n++)
      emulator.write(bytesOf(`\x1b[H\x1b]8;;http://${n}/${target}\x1b\\y\x1b]8;;\x1b\\`));
    expect(emulator.xterm.core._oscLinkService.getLinkData(1)).toBeUndefined();
    expect(written(copy, 'all')).toEqual(before);
  });
});

/** What a run printed, as plain text within a bound. */
import { afterAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../node/system-clock.ts';
import { RUN_HEAD_MAX_BYTES, RUN_OUTPUT_MAX_CHARS, RUN_TAIL_MAX_BYTES } from '../../../protocol/limits.ts';
import { OLD_WIDTHS } from '../../../protocol/terminal/width/old-widths.ts';
import { drawText } from '../../../vm-agent/output/command-output.ts';
import { type OutputSource, runText } from '../../../vm-agent/run/run-output.ts';
import { ScreenPool } from '../../../vm-agent/screen/pool.ts';
import { RingBuffer } from '../../../vm-agent/terminal/ring-buffer.ts';

const screens = new ScreenPool({ clock: systemClock });
afterAll(() => screens.close());

/** A session that has printed this, and still has the last bytes of it. */
function source(printed: string | Buffer, keptBytes = 256 * 1024, cols = 80): OutputSource {
  const ring = new RingBuffer(keptBytes);
  ring.write(Buffer.from(printed));
  return {
    get start() {
      return ring.start;
    },
    get end() {
      return ring.end;
    },
    read: (from, to) => ring.read(from).subarray(0, Math.max(0, to - Math.max(from, ring.start))),
    draw: (bytes) =>
      drawText(
        bytes,
        { cols, rows: 24 },
        {
          openScreen: (size, options) => screens.open(size, { scrollbackLines: 1000, ...options }),
          widths: OLD_WIDTHS,
          clock: systemClock,
        },
      ),
  };
}

/** All of it, as a run. */
async function textOf(printed: string | Buffer, keptBytes?: number, cols?: number) {
  const bytes = Buffer.from(printed);
  const head = bytes.subarray(0, RUN_HEAD_MAX_BYTES);
  return runText({ from: 0, to: bytes.length, head }, source(bytes, keptBytes, cols));
}

const lines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i}\r\n`).join('');

describe('[A1] [AS3] the text of a run', () => {
  it.each([
    ['nothing', '', ''],
    ['lines', 'one\r\ntwo\r\n', 'one\ntwo'],
    ['a line without an end', 'abc', 'abc'],
    ['colours', '\x1b[31mred\x1b[0m\r\n', 'red'],
    ['a progress bar', '10%\r50%\r100%\r\n', '100%'],
    ['a title and a mark', '\x1b]0;title\x07\x1b]133;D\x07x', 'x'],
    ['a long line, which the terminal wraps', `${'x'.repeat(200)}\r\n`, 'x'.repeat(200)],
    ['bytes that are no text', Buffer.from([0x61, 0xff, 0xfe, 0x80, 0x62]), 'ab'],
    ['half a character at the end', Buffer.from('é').subarray(0, 1), ''],
    ['characters that change the direction of text', 'a\u202eb\u200bc', 'abc'],
    [
      'what zsh adds to a line without an end',
      `abc\x1b[1m\x1b[7m%\x1b[27m\x1b[1m\x1b[0m${' '.repeat(79)}\r \r`,
      'abc',
    ],
    ['a percent sign', 'abc%', 'abc%'],
  ])('is what a terminal shows: %s', async (_, printed, output) => {
    expect(await textOf(printed)).toEqual({ output, omittedBytes: 0 });
  });

  it('is whole up to the bound, and has its beginning and its end beyond', async () => {
    const bound = RUN_HEAD_MAX_BYTES + RUN_TAIL_MAX_BYTES;
    const line = `${'x'.repeat(62)}\r\n`;
    const whole = line.repeat(bound / line.length);
    expect((await textOf(whole)).omittedBytes).toBe(0);
    const { output, omittedBytes } = await textOf(whole + line);
    // A line is too much, and the first line of the tail is not known to be whole.
    expect(omittedBytes).toBe(2 * line.length);
    expect(output.split('\n')).toContain(`[${2 * line.length} bytes omitted]`);
  });

  it.each([
    ['all of it is kept', undefined],
    ['less than the tail is kept', 5000],
  ])('counts exactly what it leaves out: %s', async (_, keptBytes) => {
    const printed = lines(20_000);
    const { output, omittedBytes } = await textOf(printed, keptBytes);
    const [head = '', tail = ''] = output.split(`\n[${omittedBytes} bytes omitted]\n`);
    // The head may end within a line.
    expect(printed.replaceAll('\r', '')).toMatch(new RegExp(`^${head}`));
    expect(printed.replaceAll('\r', '').trimEnd().endsWith(tail)).toBe(true);
    const tailBytes = Buffer.byteLength(`${tail}\n`.replaceAll('\n', '\r\n'));
    expect(RUN_HEAD_MAX_BYTES + omittedBytes + tailBytes).toBe(printed.length);
  });

  it('of which nothing is kept but the first bytes counts no more than was printed', async () => {
    const printed = Buffer.from(lines(3000));
    const later = source(Buffer.concat([printed, Buffer.alloc(9000, 'y')]), 5000);
    const head = printed.subarray(0, RUN_HEAD_MAX_BYTES);
    const { omittedBytes } = await runText({ from: 0, to: printed.length, head }, later);
    expect(omittedBytes).toBe(printed.length - RUN_HEAD_MAX_BYTES);
    const none = await runText({ from: 0, to: printed.length, head: new Uint8Array(0) }, later);
    expect(none).toEqual({ output: `[${printed.length} bytes omitted]`, omittedBytes: printed.length });
  });

  it('has its beginning from the history if nobody has kept it', async () => {
    const printed = lines(100);
    const { output } = await runText(
      { from: 0, to: printed.length, head: new Uint8Array(0) },
      source(printed),
    );
    expect(output.startsWith('line 0\nline 1\n')).toBe(true);
  });

  it.each([
    ['text', 'one\r\ntwo\r\n', 'one\ntwo'],
    [
      'sequences',
      '\x1b[31mred\x1b[0m \x1b]0;title\x07\x1b]133;D\x1b\\\x1bPq#\x1b\\x\x1b(B\x1b=y\x1b',
      'red xy',
    ],
    ['a bar', '10%\r100%\r\n', '10%\n100%'],
    ['a sequence that never ends', `a\x1b]${'x'.repeat(100)}`, 'a'],
  ])(
    'is what was printed, without sequences, if it takes too long to draw: %s',
    async (_, printed, output) => {
      const slow = { ...source(printed), start: 0, draw: async () => null };
      const { length } = printed;
      expect(await runText({ from: 0, to: length, head: new Uint8Array(0) }, slow)).toEqual({
        output,
        omittedBytes: 0,
      });
    },
  );

  it('shows the end of one very long line', async () => {
    const { output, omittedBytes } = await textOf(`${'é'.repeat(50_000)}end\r\n`);
    expect(output.endsWith('ééend')).toBe(true);
    expect(output).not.toContain('\ufffd');
    expect(omittedBytes).toBeGreaterThan(70_000);
  });

  it.each([
    ['tabs', '\t'.repeat(79).concat('\r\n').repeat(90)],
    ['a character that is repeated', 'x\x1b[9999b\r\n'.repeat(600)],
    ['movements of the cursor', '\x1b[999C.\r\n'.repeat(900)],
    ['line feeds', '\n'.repeat(8000)],
    ['letters with many marks', `a${'\u0301'.repeat(50)}`.repeat(80)],
    ['quotes', '"'.repeat(24_000)],
    ['the alternate screen', `\x1b[?1049h${'text '.repeat(2000)}`],
    ['a sequence that never ends', `\x1b]0;${'x'.repeat(20_000)}`],
    ['everything at once', '\x1b[9999b\x1b[999C\x1b[999;999H"\\\u202e\t'.repeat(1500)],
  ])('is within its bound whatever was printed, and says what was cut: %s', async (_, printed) => {
    const { output, omittedBytes } = await textOf(printed, undefined, 500);
    expect(output.length).toBeLessThanOrEqual(RUN_OUTPUT_MAX_CHARS);
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(RUN_OUTPUT_MAX_CHARS);
    if (omittedBytes > 0) expect(output).toContain(`[${omittedBytes} bytes omitted]`);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be in it
    expect(output).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
  });
});

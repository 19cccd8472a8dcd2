/** The output of workerd, with repeated lines counted. */
import { describe, expect, it } from 'vitest';
import {
  FOLD_WITHIN_MS,
  FoldedLog,
  KINDS_MAX,
  kindOf,
  LINE_MAX_CHARS,
  OWN_SAME_MAX,
  SAME_MAX,
} from '../../../cli/relay/folded-log.ts';
import { FakeClock } from '../../support/fake-clock.ts';

function folded() {
  const clock = new FakeClock();
  const lines: string[] = [];
  const log = new FoldedLog(clock, (line) => lines.push(line));
  return { clock, lines, log };
}

describe('the log of workerd', () => {
  it('prints a repeated line a few times, then how often it came', () => {
    const { clock, lines, log } = folded();
    for (let i = 0; i < 1_000; i++) log.read(`worker.c++:${i}: error: exception at 0x7f${i}a\n`);
    expect(lines).toHaveLength(SAME_MAX);
    clock.advance(FOLD_WITHIN_MS);
    expect(lines.slice(SAME_MAX)).toEqual([
      `worker.c++:0: error: exception at 0x7f0a (${1_000 - SAME_MAX} more like this within a minute)`,
    ]);
    expect(clock.pending).toBe(0);
  });

  it('starts again after a minute', () => {
    const { clock, lines, log } = folded();
    for (let i = 0; i <= SAME_MAX; i++) log.read('error: x\n');
    clock.advance(FOLD_WITHIN_MS);
    lines.length = 0;
    log.read('error: x\n');
    expect(lines).toEqual(['error: x']);
  });

  it('counts kinds of lines beyond the limit without printing them', () => {
    const { lines, log } = folded();
    const word = (i: number) => [...String(i)].map((digit) => 'ghijklmnop'[Number(digit)]).join('');
    for (let i = 0; i < KINDS_MAX + 1; i++) log.read(`error: ${word(i)}\n`);
    expect(lines).toHaveLength(KINDS_MAX);
    log.close();
    expect(lines.at(-1)).toBe('1 more lines of other kinds within a minute');
  });

  it('joins lines that arrive in parts, cuts long ones, and prints a last line without line end', () => {
    const { lines, log } = folded();
    log.read('one li');
    log.read(`ne\n${'x'.repeat(LINE_MAX_CHARS + 1)}\nlast`);
    expect(lines).toEqual(['one line', 'x'.repeat(LINE_MAX_CHARS)]);
    log.close();
    expect(lines.at(-1)).toBe('last');
  });

  it("[SEC21] counts the Worker's own lines by event too, and reports the count as JSON", () => {
    const { clock, lines, log } = folded();
    for (let i = 0; i < 1_000; i++)
      log.read(`{"level":"info","event":"agent_connected","generation":${i}}\n`);
    log.read('{"level":"warn","event":"agent_refused","code":403}\n');
    expect(lines.filter((line) => line.includes('agent_connected'))).toHaveLength(OWN_SAME_MAX);
    expect(lines.at(-1), 'another event is written at once').toContain('agent_refused');
    lines.length = 0;
    clock.advance(FOLD_WITHIN_MS);
    expect(lines.map((line) => JSON.parse(line))).toContainEqual({
      level: 'info',
      event: 'agent_connected',
      more: 1_000 - OWN_SAME_MAX,
      withinMs: FOLD_WITHIN_MS,
    });
  });

  it("[SEC21] prints the Worker's own lines whatever else is printed, and recognises no other line as one of them", () => {
    const { lines, log } = folded();
    const word = (i: number) => [...String(i)].map((digit) => 'ghijklmnop'[Number(digit)]).join('');
    for (let i = 0; i < KINDS_MAX + 1; i++) log.read(`{${word(i)}\n`);
    expect(lines).toHaveLength(KINDS_MAX);
    log.read('{"level":"error","event":"unhandled"}\n');
    expect(lines.at(-1)).toBe('{"level":"error","event":"unhandled"}');
  });

  it('[SEC21] takes lines that differ in what a stranger has sent for the same', () => {
    const { lines, log } = folded();
    const word = (i: number) => [...String(i)].map((digit) => 'ghijklmnop'[Number(digit)]).join('');
    for (let i = 0; i < 1_000; i++)
      log.read(`server.c++:6231: error: kj/url.c++:453: failed: invalid hostname; host = ${word(i)}\n`);
    expect(lines).toHaveLength(SAME_MAX);
  });

  it.each([
    ['digits', '1'.repeat(4_000_000)],
    ['digits and letters', 'a1'.repeat(2_000_000)],
    ['values', '; x ='.repeat(800_000)],
  ])('[SEC21] reads %s in linear time, whatever follows them', (_, text) => {
    // In quadratic time this would take hours.
    expect(kindOf(`error: host ${text}g`)).toMatch(/^error: host/);
  });
});

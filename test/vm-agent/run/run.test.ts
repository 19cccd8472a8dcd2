/** Where the output of one command begins and ends. */
import { describe, expect, it } from 'vitest';
import { RUN_HEAD_MAX_BYTES } from '../../../protocol/limits.ts';
import { Run, TYPED, type TypedRunOptions } from '../../../vm-agent/run/run.ts';

const A = '\x1b]133;A;nonce=N\x07';
const C = '\x1b]133;C;nonce=N;n=4\x07';
const D = '\x1b]133;D;3;nonce=N;n=4\x07';

function ran(pieces: readonly string[], options: Partial<TypedRunOptions> = {}, at = 0) {
  const run = new Run({ nonce: 'N', from: at, isMarked: true, place: TYPED, ...options });
  let offset = at;
  for (const piece of pieces) {
    const bytes = Buffer.from(piece, 'latin1');
    run.printed(offset, bytes);
    bytes.fill(0); // the memory is used again
    offset += piece.length;
  }
  return run;
}

/** What is known at the end, with the output as text. */
function outcome(text: string, options: Partial<TypedRunOptions> = {}) {
  const { place } = ran([text], options);
  const { outputFrom, outputTo, exitCode } = place;
  const output = outputFrom === null ? null : text.slice(outputFrom, outputTo ?? undefined);
  return { output, exitCode, hasEnded: outputTo !== null };
}

describe('[A1] [AS2] a run', () => {
  it.each([
    ['that ends', `ls\r\n${C}out\r\n${D}${A}$ `, { output: 'out\r\n', exitCode: 3, hasEnded: true }],
    ['without output', `${C}${D}`, { output: '', exitCode: 3, hasEnded: true }],
    ['that goes on', `ls\r\n${C}out`, { output: 'out', exitCode: null, hasEnded: false }],
    ['that has not begun', 'ls\r\n', { output: null, exitCode: null, hasEnded: false }],
    [
      'in which the shell found nothing to run',
      `#\r\n${A}$ `,
      { output: '', exitCode: null, hasEnded: true },
    ],
    ['whose end was not told', `${C}out${A}`, { output: 'out', exitCode: null, hasEnded: true }],
    ['of which only an end is told', `${D}`, { output: null, exitCode: null, hasEnded: false }],
    [
      'with the end of another command',
      `${C}a\x1b]133;D;0;nonce=N;n=3\x07b${D}`,
      { output: 'a\x1b]133;D;0;nonce=N;n=3\x07b', exitCode: 3, hasEnded: true },
    ],
    [
      'in which a second one begins',
      `${C}a\x1b]133;C;nonce=N;n=9\x07b${D}`,
      { output: 'a\x1b]133;C;nonce=N;n=9\x07b', exitCode: 3, hasEnded: true },
    ],
    [
      'that prints the end of a run without a nonce',
      `${C}\x1b]133;D;0\x07x${D}`,
      { output: '\x1b]133;D;0\x07x', exitCode: 3, hasEnded: true },
    ],
    [
      'that prints one with another nonce',
      `${C}\x1b]133;D;0;nonce=M;n=4\x07x${D}`,
      { output: '\x1b]133;D;0;nonce=M;n=4\x07x', exitCode: 3, hasEnded: true },
    ],
    [
      'that prints one whose nonce only has ours in it',
      `${C}\x1b]133;D;0;nonce=NN;n=4\x07${D}`,
      { output: '\x1b]133;D;0;nonce=NN;n=4\x07', exitCode: 3, hasEnded: true },
    ],
    [
      'that prints a prompt of another',
      `${C}\x1b]133;A\x07${D}`,
      { output: '\x1b]133;A\x07', exitCode: 3, hasEnded: true },
    ],
    [
      'whose end has no code',
      `${C}\x1b]133;D;;nonce=N;n=4\x07`,
      { output: '', exitCode: null, hasEnded: true },
    ],
  ])('%s', (_, text, expected) => {
    expect(outcome(text)).toEqual(expected);
  });

  it('with marks of its own takes no prompt for its end', () => {
    const text = '\x1b]133;C;nonce=N\x1b\\a\x1b]133;A;nonce=N\x07b\x1b]133;D;7;nonce=N\x1b\\$ ';
    expect(outcome(text, { isMarked: false })).toMatchObject({ exitCode: 7, hasEnded: true });
    expect(outcome(text.slice(0, 40), { isMarked: false })).toMatchObject({ hasEnded: false });
  });

  it('is the same however its output is cut', () => {
    const text = `${D}x${C}some output\x1b[31m\x1b]133;D;0\x07${D}${A}$ `;
    const whole = ran([text]).place;
    for (let cut = 0; cut <= text.length; cut++)
      expect(ran([text.slice(0, cut), text.slice(cut)]).place, `cut at ${cut}`).toEqual(whole);
    const bytes = ran([...text]);
    expect(bytes.place).toEqual(whole);
    expect(Buffer.from(bytes.head).toString()).toBe('some output\x1b[31m\x1b]133;D;0\x07');
  });

  it('sees nothing of what was printed before it was typed', () => {
    const before = `${C}old${D}${A}`;
    expect(ran([`${before}${C}new${D}`], { from: before.length }).place).toMatchObject({
      outputFrom: before.length + C.length,
      exitCode: 3,
    });
    expect(ran([before], { from: before.length }).place).toEqual(TYPED);
  });

  it('ends with its shell', () => {
    const run = ran([`${C}bye`]);
    run.exited(5, 100);
    run.exited(6, 200);
    expect(run.place).toMatchObject({ exitCode: 5, outputTo: 100 });
  });

  it('that has ended changes no more', () => {
    const run = ran([`${C}a${D}`]);
    const { place } = run;
    run.printed(1000, Buffer.from(`${C}b${D}${A}`));
    expect(run.place).toBe(place);
  });

  it.each([
    ['in one piece', 3 * RUN_HEAD_MAX_BYTES],
    ['in small ones', 100],
  ])('keeps the first bytes of its output: %s', (_, size) => {
    const output = Array.from({ length: 3 * RUN_HEAD_MAX_BYTES }, (__, i) =>
      String.fromCharCode(97 + (i % 26)),
    ).join('');
    const text = C + output;
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (__, i) =>
      text.slice(i * size, (i + 1) * size),
    );
    expect(Buffer.from(ran(pieces).head).toString()).toBe(output.slice(0, RUN_HEAD_MAX_BYTES));
  });

  it('whose begin another process has read is ended by its mark, without knowing how its output began', () => {
    const place = { outputFrom: 500, outputTo: null, exitCode: null, number: 4 };
    const run = ran([`middle ${D}${A}`], { from: 400, place }, 90_000);
    const endsAt = 90_007 + D.length;
    expect(run.place).toEqual({ outputFrom: 500, outputTo: 90_007, endsAt, exitCode: 3, number: 4 });
    expect(run.head.length).toBe(0);
  });

  it('that goes on from there keeps its begin if that is still printed again', () => {
    const place = { outputFrom: 500, outputTo: null, exitCode: null, number: 4 };
    const run = ran([`${'x'.repeat(100)}begin ${D}`], { from: 400, place }, 400);
    expect(Buffer.from(run.head).toString()).toBe('begin ');
  });
});

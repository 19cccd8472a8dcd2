/** Random programs: a terminal restored at any byte equals the terminal they printed to. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkProperty } from '../../support/property.ts';
import { program } from './programs.ts';
import { ansi, expectSame, restored, terminal } from './terminal-state.ts';

describe('a terminal restored from a snapshot', () => {
  it('[R1] equals the original, at once and after the rest', () => {
    checkProperty(
      'restored-terminal',
      fc.property(program, ({ size, scrollback, output, at }) => {
        const cut = Math.floor(at * output.length);
        const witness = terminal(size, scrollback);
        witness.write(output.subarray(0, cut));
        const copy = restored(witness, output.subarray(cut - witness.heldBytes, cut), scrollback);
        expectSame(copy, witness);
        witness.write(output.subarray(cut));
        copy.write(output.subarray(cut));
        expectSame(copy, witness);
        expect(witness.faults).toBe(0);
      }),
      { numRuns: 500 },
    );
  });

  it('[R7] equals the original if the output is random bytes', () => {
    const bytes = fc.uint8Array({ minLength: 0, maxLength: 400 });
    checkProperty(
      'restored-terminal-bytes',
      fc.property(bytes, fc.double({ min: 0, max: 1, noNaN: true }), (output, at) => {
        const cut = Math.floor(at * output.length);
        const witness = terminal({ cols: 30, rows: 8 }, 20);
        witness.write(output.subarray(0, cut));
        const copy = restored(witness, output.subarray(cut - witness.heldBytes, cut), 20);
        expectSame(copy, witness);
        witness.write(output.subarray(cut));
        copy.write(output.subarray(cut));
        expectSame(copy, witness);
      }),
      { numRuns: 400 },
    );
  });

  it('[R1] does not depend on how the output was split', () => {
    checkProperty(
      'terminal-cuts',
      fc.property(program, fc.integer({ min: 1, max: 9 }), ({ size, scrollback, output }, step) => {
        const whole = terminal(size, scrollback);
        const crumbs = terminal(size, scrollback);
        whole.write(output);
        for (let at = 0; at < output.length; at += step) crumbs.write(output.subarray(at, at + step));
        expectSame(crumbs, whole);
        expect(ansi(crumbs)).toEqual(ansi(whole));
      }),
      { numRuns: 200 },
    );
  });
});

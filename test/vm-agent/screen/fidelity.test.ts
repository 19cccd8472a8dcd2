/**
 * A terminal restored from a snapshot, then given the rest, compared with one that got every byte: recordings of real
 * programs (corpus/, made by record-corpus.ts), cut everywhere, also inside sequences and characters.
 */
import { describe, expect, it } from 'vitest';
import type { Emulator } from '../../../vm-agent/screen/emulator.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { outputOf, type Recording, recordings } from './recording.ts';
import { expectSame, restored, terminal } from './terminal-state.ts';

/**
 * How many snapshots a recording is taken through; the step between them shares no factor with screens. `HOLDFAST_CUTS=1000 npm test -- fidelity`
 * takes it through more.
 */
const LINKS = Number(process.env.HOLDFAST_CUTS ?? 80);

/** At how many cuts a restored terminal is resized; they are the same in every run. */
const RESIZED_CUTS = 8;
const SEED = 20261117;

/** Plays [from, to) with its resizes. */
function play(target: Emulator, recording: Recording, output: Uint8Array, from: number, to: number): void {
  let at = from;
  for (const { offset, cols, rows } of recording.resizes) {
    if (offset < from || offset >= to) continue;
    target.write(output.subarray(at, offset));
    target.resize({ cols, rows });
    at = offset;
  }
  target.write(output.subarray(at, to));
}

function restoredAt(witness: Emulator, output: Uint8Array, cut: number): Emulator {
  return restored(witness, output.subarray(cut - witness.heldBytes, cut));
}

function hasWiderCells({ size: { cols }, xterm }: Emulator): boolean {
  const { lines } = xterm.core.buffers.alt;
  for (let row = 0; row < lines.length; row++) if ((lines.get(row)?.length ?? 0) > cols) return true;
  return false;
}

describe.each(recordings())('%s', (_name, recording) => {
  const output = outputOf(recording);
  const step = Math.max(1, Math.floor(output.length / LINKS)) | 1;

  it('[R1] is the same at every cut after it was restored at every earlier cut', () => {
    const witness = terminal(recording);
    let copy = terminal(recording);
    for (let cut = 0; cut < output.length; cut += step) {
      const next = Math.min(cut + step, output.length);
      play(witness, recording, output, cut, next);
      play(copy, recording, output, cut, next);
      const heir = restoredAt(copy, output, next);
      copy.dispose();
      copy = heir;
      expectSame(copy, witness, `restored at ${next}`);
    }
    expect(witness.faults).toBe(0);
  });

  it('[R1] ends the same if restored once and given all the rest', () => {
    const whole = terminal(recording);
    play(whole, recording, output, 0, output.length);
    for (let part = 1; part < 12; part++) {
      const cut = Math.floor((output.length * part) / 12);
      const before = terminal(recording);
      play(before, recording, output, 0, cut);
      const after = restoredAt(before, output, cut);
      play(after, recording, output, cut, output.length);
      expectSame(after, whole, `restored at ${cut}`);
      before.dispose();
      after.dispose();
    }
  });

  it('[D1] is the same if its size changes after it was restored, at once and after the rest', () => {
    const { int } = seededRandom(SEED);
    for (let round = 0; round < RESIZED_CUTS; round++) {
      const cut = int(1, output.length);
      const size = { cols: int(10, 110), rows: int(3, 40) };
      const witness = terminal(recording);
      play(witness, recording, output, 0, cut);
      const copy = restoredAt(witness, output, cut);
      // Cells beyond the edge of a narrowed alternate screen are not restored, and would be visible in a wider one.
      const cols = hasWiderCells(witness) ? Math.min(size.cols, witness.size.cols) : size.cols;
      for (const each of [copy, witness]) each.resize({ ...size, cols });
      expectSame(copy, witness, `restored at ${cut}, then ${cols} × ${size.rows}`);
      for (const each of [copy, witness]) each.write(output.subarray(cut));
      expectSame(copy, witness, `restored at ${cut}, then ${cols} × ${size.rows}, after the rest`);
      copy.dispose();
      witness.dispose();
    }
  });
});

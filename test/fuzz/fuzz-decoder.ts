/** Gives a decoder random input: it must accept or refuse it, and never hang. */
import type { SeededRandom } from '../support/seeded-random.ts';
import type { Decoder } from './decoders.ts';
import { type Finding, finding, HANG_MS, undisturbedMs } from './finding.ts';
import { mutate } from './mutate.ts';

/** Timed together, because a single one is too fast to be timed. */
const BATCH = 1000;

export function tryDecoder(decoder: Decoder, bytes: Uint8Array<ArrayBuffer>): Finding | null {
  try {
    decoder.read(bytes);
    return null;
  } catch (error) {
    return finding(decoder.name, `threw ${error}`, bytes);
  }
}

export function fuzzDecoder(decoder: Decoder, count: number, random: SeededRandom): Finding[] {
  const findings: Finding[] = [];
  for (let done = 0; done < count; done += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - done) }, () =>
      mutate(decoder.examples, random),
    );
    const startedAt = performance.now();
    for (const bytes of batch) {
      const found = tryDecoder(decoder, bytes);
      if (found !== null) findings.push(found);
    }
    if (performance.now() - startedAt > HANG_MS) findings.push(...slowOnes(decoder, batch));
  }
  return findings;
}

/** A batch may be slow because of the machine; whether one of its inputs is slow is measured separately. */
function slowOnes(decoder: Decoder, batch: readonly Uint8Array<ArrayBuffer>[]): Finding[] {
  return batch.flatMap((bytes) => {
    const ms = undisturbedMs(() => void tryDecoder(decoder, bytes));
    return ms > HANG_MS ? [finding(decoder.name, `took ${ms} ms`, bytes)] : [];
  });
}

/** Gives a decoder random input: it must accept or refuse it, and never hang. */
import type { SeededRandom } from '../support/seeded-random.ts';
import type { Decoder } from './decoders.ts';
import { type Finding, finding, HANG_MS, undisturbedMs } from './finding.ts';
import { mutate } from './mutate.ts';

/** Timed together, because a single one is too fast to be timed. */
const BATCH = 1000;

export async function tryDecoder(decoder: Decoder, bytes: Uint8Array<ArrayBuffer>): Promise<Finding | null> {
  try {
    await decoder.read(bytes);
    return null;
  } catch (error) {
    return finding(decoder.name, `threw ${error}`, bytes);
  }
}

export async function fuzzDecoder(decoder: Decoder, count: number, random: SeededRandom): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (let done = 0; done < count; done += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - done) }, () =>
      mutate(decoder.examples, random),
    );
    const startedAt = performance.now();
    for (const bytes of batch) {
      const found = await tryDecoder(decoder, bytes);
      if (found !== null) findings.push(found);
    }
    if (performance.now() - startedAt > HANG_MS) findings.push(...(await slowOnes(decoder, batch)));
  }
  return findings;
}

/** A batch may be slow because of the machine; whether one of its inputs is slow is measured separately. */
async function slowOnes(decoder: Decoder, batch: readonly Uint8Array<ArrayBuffer>[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const bytes of batch) {
    const ms = await undisturbedMs(() => tryDecoder(decoder, bytes));
    if (ms > HANG_MS) findings.push(finding(decoder.name, `took ${ms} ms`, bytes));
  }
  return findings;
}

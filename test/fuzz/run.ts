/**
 * `npm run fuzz -- [--seed <n>] [--frames <n>] [--streams <n>]`: random input for every decoder, hostile streams for
 * the terminals. Findings are printed and written to test/fuzz/corpus/, which `npm test` replays.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { seededRandom } from '../support/seeded-random.ts';
import { CREDENTIAL_DECODERS, CREDENTIAL_SHARE } from './credential-decoders.ts';
import { DECODERS } from './decoders.ts';
import type { Finding } from './finding.ts';
import { fuzzDecoder } from './fuzz-decoder.ts';
import { hostileStream } from './hostile-stream.ts';
import { tryStream } from './terminal-targets.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    frames: { type: 'string', default: '1000000' },
    streams: { type: 'string', default: '100000' },
  },
});
const seed = Number(values.seed);
const findings: Finding[] = [];
const ONE_EACH = new Set<string>();
const MEGABYTE = 1024 * 1024;

/** One case of each kind is enough for the corpus. */
function keep(found: readonly Finding[]): void {
  for (const one of found) {
    const kind = `${one.target}: ${one.why.replace(/\d+/g, 'n')}`;
    if (ONE_EACH.has(kind)) continue;
    ONE_EACH.add(kind);
    findings.push(one);
    console.log(`found: ${kind}`);
    const name = `${one.target}-${one.why}`
      .toLowerCase()
      .replace(/[^a-z]+/g, '-')
      .slice(0, 60);
    writeFileSync(new URL(`corpus/${name}.json`, import.meta.url), `${JSON.stringify(one, null, 2)}\n`);
  }
}

console.log(`seed ${seed}`);
for (const [i, decoder] of [...DECODERS, ...CREDENTIAL_DECODERS].entries()) {
  const startedAt = performance.now();
  const inputs = Math.ceil(Number(values.frames) * (i < DECODERS.length ? 1 : CREDENTIAL_SHARE));
  keep(await fuzzDecoder(decoder, inputs, seededRandom(seed + i)));
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${decoder.name}: ${inputs} inputs in ${seconds} s`);
}

const random = seededRandom(seed);
const memory: number[] = [];
const startedAt = performance.now();
for (let done = 0; done < Number(values.streams); done++) {
  keep(await tryStream(hostileStream(random)));
  if (done % 10_000 === 0) memory.push(Math.round(process.memoryUsage().rss / MEGABYTE));
}
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
console.log(
  `terminals: ${values.streams} hostile streams in ${seconds} s; memory in MB: ${memory.join(' ')}`,
);
console.log(`${findings.length} kinds of findings`);
process.exitCode = findings.length === 0 ? 0 : 1;

/** A short run of `npm run fuzz`, and everything it has ever found. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { seedsFor, tellStory } from '../support/property.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { CREDENTIAL_DECODERS, CREDENTIAL_SHARE, onlyExamples } from './credential-decoders.ts';
import { DECODERS } from './decoders.ts';
import type { Finding } from './finding.ts';
import { fuzzDecoder, tryDecoder } from './fuzz-decoder.ts';
import { hostileStream } from './hostile-stream.ts';
import { tryStream } from './terminal-targets.ts';

const FRAMES = 2_000;
const STREAMS = 60;

const corpus = new URL('corpus/', import.meta.url);
// Git keeps no empty folder: without cases there is no corpus.
const CASES = (existsSync(corpus) ? readdirSync(corpus) : [])
  .filter((name) => name.endsWith('.json'))
  .map((name) => ({ name, ...(JSON.parse(readFileSync(new URL(name, corpus), 'utf8')) as Finding) }));

describe.each(seedsFor('fuzz'))('random input (HOLDFAST_SEED=%d)', (seed) => {
  it.each(DECODERS)('[F24] [SEC10] is parsed or refused by the parser of a $name', (decoder) =>
    tellStory('fuzz', seed, async () => {
      expect(await fuzzDecoder(decoder, FRAMES, seededRandom(seed))).toEqual([]);
    }),
  );

  it.each(CREDENTIAL_DECODERS)(
    '[SEC10] [SEC25] is accepted only as it was signed, and never more than is allowed: $name',
    (decoder) =>
      tellStory('fuzz', seed, async () => {
        expect(await fuzzDecoder(decoder, FRAMES * CREDENTIAL_SHARE, seededRandom(seed))).toEqual([]);
      }),
  );

  it('[F24] [SEC7] [SEC8] as output makes no terminal fail, hang or type', () =>
    tellStory('fuzz', seed, async () => {
      const random = seededRandom(seed);
      for (let done = 0; done < STREAMS; done++) expect(await tryStream(hostileStream(random))).toEqual([]);
    }));

  it('is reported when a parser throws an unexpected error', async () => {
    const careless = {
      name: 'careless',
      examples: [Uint8Array.of(1, 2, 3)],
      read: ([first = 0]: Uint8Array) => void (first > 250 && JSON.parse('nonsense')),
    };
    expect((await fuzzDecoder(careless, FRAMES, seededRandom(seed))).length).toBeGreaterThan(0);
  });

  it('is reported when the gate accepts what was not signed', async () => {
    const examples = [new TextEncoder().encode('not signed')];
    const trusting = {
      name: 'trusting',
      examples,
      read: onlyExamples([], async () => ({ ok: true, claims: {} })).read,
    };
    expect(await fuzzDecoder(trusting, 10, seededRandom(seed))).toHaveLength(10);
  });
});

describe.runIf(CASES.length > 0)('inputs that once caused a failure', () => {
  it.each(CASES)('[F24] [SEC8] cause none any more: $name', async ({ target, input }) => {
    const bytes = new Uint8Array(Buffer.from(input, 'base64'));
    const decoder = [...DECODERS, ...CREDENTIAL_DECODERS].find(({ name }) => name === target);
    const found = decoder === undefined ? await tryStream(bytes) : await tryDecoder(decoder, bytes);
    expect(found ?? []).toEqual([]);
  });
});

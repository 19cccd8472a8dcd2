/** How a search pauses and ends, in steps and with a hand-driven clock. */
import { describe, expect, it } from 'vitest';
import { Pattern } from '../../../../client/text/pattern.ts';
import { TextSearch } from '../../../../client/text/text-search.ts';
import {
  SEARCH_SLICE_STEPS,
  SEARCH_STEPS_MAX,
  SEARCHES_MAX,
  VIEWER_SEARCHES_MAX,
  VIEWERS_SEARCHES_MAX,
} from '../../../../protocol/limits.ts';
import { SearchPace, searching } from '../../../../worker/api/search/search-pace.ts';
import { SearchSeats } from '../../../../worker/api/search/search-seats.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

const COSTLY = '[^a].{250}\\t!';

/** Bytes that lead to new sets of states each time. */
function varied(length: number): Uint8Array {
  let random = 7;
  return Uint8Array.from({ length }, () => {
    random = (Math.imul(random, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return 97 + ((random >>> 16) % 3);
  });
}

/** Lets pending promises continue. */
const settle = async () => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};

describe('a search', () => {
  it('[X3] pauses after a slice, and no part of it costs more than a slice', async () => {
    const clock = new FakeClock();
    const search = new TextSearch(new Pattern(COSTLY));
    const pace = new SearchPace(search, 'w', clock, searching());
    let isDone = false;
    void pace.run(search.outputPieces(varied(32_768))).then(() => {
      isDone = true;
    });
    await settle();
    let slices = 0;
    for (let before = 0; !isDone; slices++) {
      expect(search.steps - before).toBeLessThan(2 * SEARCH_SLICE_STEPS);
      expect(clock.pending).toBe(1);
      before = search.steps;
      clock.advance(1000);
      await settle();
    }
    expect(slices).toBeGreaterThan(2);
  });

  it('[X3] with an ordinary pattern does not pause within a frame', async () => {
    const clock = new FakeClock();
    const search = new TextSearch(Pattern.literal('done'));
    await new SearchPace(search, 'w', clock, searching()).run(
      search.outputPieces(new Uint8Array(65_536).fill(98)),
    );
    expect([clock.pending, search.found]).toEqual([0, undefined]);
  });

  it('[X3] [RL22] ends with 429 when it has used up its budget, and not before', async () => {
    const clock = new FakeClock();
    const search = { steps: 0, found: undefined } as unknown as TextSearch & { steps: number };
    const pace = new SearchPace(search, 'w', clock, searching());
    function* work(steps: number): Generator<void> {
      search.steps = steps;
      yield;
    }
    const run = async (steps: number) => {
      const outcome = pace.run(work(steps)).then(
        () => 'goes on',
        (error) => `${error.status} ${error.code}`,
      );
      await settle();
      clock.advance(100_000);
      return outcome;
    };
    expect(await run(SEARCH_STEPS_MAX)).toBe('goes on');
    expect(await run(SEARCH_STEPS_MAX + 1)).toBe('429 search_too_costly');
  });

  const operator = { role: 'operator', tokenId: 'o' } as const;
  const viewer = (tokenId: string) => ({ role: 'viewer', tokenId }) as const;

  it('[X3] is refused if its workspace has reached its limit; another workspace has its own', () => {
    const seats = new SearchSeats();
    const leave = Array.from({ length: SEARCHES_MAX }, () => seats.enter('w', operator));
    expect(() => seats.enter('w', operator)).toThrow(/already has 16 requests waiting for text/);
    seats.enter('other', operator);
    leave[0]?.();
    leave[0]?.();
    seats.enter('w', operator);
    expect(() => seats.enter('w', operator)).toThrow(/already has 16/);
  });

  it('[X3] [RL24] of a viewer leaves room for operators', () => {
    const seats = new SearchSeats();
    const leave = Array.from({ length: VIEWERS_SEARCHES_MAX }, (_, i) => seats.enter('w', viewer(`v${i}`)));
    expect(() => seats.enter('w', viewer('v'))).toThrow(/viewers of this workspace already have 8/);
    for (let i = VIEWERS_SEARCHES_MAX; i < SEARCHES_MAX; i++) seats.enter('w', operator);
    leave[0]?.();
    seats.enter('w', viewer('v'));
  });

  it('[SEC10] [RL24] of a viewer leaves room for other viewers', () => {
    const seats = new SearchSeats();
    const leave = Array.from({ length: VIEWER_SEARCHES_MAX }, () => seats.enter('w', viewer('v')));
    expect(() => seats.enter('w', viewer('v'))).toThrow(/This token already has 4/);
    seats.enter('w', viewer('other'));
    leave[0]?.();
    seats.enter('w', viewer('v'));
  });
});

/**
 * A regular expression matcher with bounded cost. It advances all possible states of a match together, so a character
 * costs at most states × words, whatever the pattern and the text are. The states are all that is kept between
 * characters, so a match may begin in one frame and end in another.
 *
 * Transitions between sets of states are cached, up to a limit, so an ordinary pattern costs one lookup per character.
 * The work is counted in `steps`, so that a caller can stop in time.
 */
import { PATTERN_CACHE_MAX_BYTES } from '../../protocol/limits.ts';
import { BadPattern } from './pattern-program.ts';
import { type Bits, PatternTables, situationOf } from './pattern-tables.ts';

const ASCII = 128;
const NEWLINE = 10;

/** Memory of a cached place: a pointer for each ASCII character, its states, and its key in the index. */
const PLACE_BYTES = ASCII * 8 + 256;
const PLACES_MAX = Math.floor(PATTERN_CACHE_MAX_BYTES / PLACE_BYTES);

/** Looking up a place by its states costs about as much as combining this many words. */
const NAMING_STEPS = 64;

/** Cost of testing whether a character belongs to a class. */
const TEST_STEPS = 8;

/** The matcher's position: the states that accepted the last character, and whether a line begins here. */
interface Place {
  readonly states: Bits;
  isEmpty: boolean;
  atStart: boolean;
  isMatch: boolean;
  /** Cached transitions by ASCII character; undefined where nothing is cached. */
  readonly next: (Place | undefined)[] | undefined;
}

export class Pattern {
  readonly #tables: PatternTables;
  readonly #places = new Map<string, Place>();
  /** Places without states. They are the most frequent ones, and lead back from uncached to cached places. */
  readonly #empty: readonly Place[];
  /** Two buffers used alternately for places that are not cached. */
  readonly #passing: readonly [Place, Place];
  readonly #live: Bits;
  #place: Place;
  #steps = 0;

  constructor(source: string) {
    this.#tables = new PatternTables(source);
    const { matchesNothing, words } = this.#tables;
    if (matchesNothing.some((matches) => matches))
      throw new BadPattern('it matches the empty text; let it need at least one character');
    const place = (more: Partial<Place>): Place => ({
      states: new Uint32Array(words),
      isEmpty: true,
      atStart: false,
      isMatch: false,
      next: undefined,
      ...more,
    });
    this.#empty = [0, 1, 2, 3].map((kind) =>
      place({ atStart: (kind & 1) !== 0, isMatch: (kind & 2) !== 0, next: [] }),
    );
    this.#passing = [place({}), place({})];
    this.#live = new Uint32Array(words);
    this.#place = this.#emptyPlace(true, false);
  }

  /** Matches the text literally. */
  static literal(text: string): Pattern {
    return new Pattern(text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  }

  /** What compiling it cost, in steps. */
  get buildSteps(): number {
    return this.#tables.buildSteps;
  }

  /** The total cost of searching so far. */
  get steps(): number {
    return this.#steps;
  }

  /** True when a match ends with this code point, or with the line before it. */
  step(code: number): boolean {
    this.#steps++;
    const { next } = this.#place;
    const known = code < ASCII ? next?.[code] : undefined;
    this.#place = known ?? this.#move(this.#place, code);
    return this.#place.isMatch;
  }

  /** When the output pauses: completes a match that only waits for the end of a line. */
  rest(): boolean {
    const { states, atStart } = this.#place;
    return this.#isComplete(states, situationOf(atStart, true));
  }

  /** Discards partial matches. */
  restart(): void {
    this.#place = this.#emptyPlace(true, false);
  }

  #move(from: Place, code: number): Place {
    const isEnd = code === NEWLINE;
    const situation = situationOf(from.atStart, isEnd);
    const to = this.#isComplete(from.states, situation)
      ? this.#emptyPlace(isEnd, true)
      : this.#advance(from, code, situation, isEnd);
    if (code < ASCII && from.next !== undefined && to.next !== undefined) from.next[code] = to;
    return to;
  }

  #advance(from: Place, code: number, situation: number, isEnd: boolean): Place {
    const { first, words } = this.#tables;
    const live = this.#live;
    live.set(first[situation] as Bits);
    if (!from.isEmpty) this.#addFollowing(from.states, situation);
    const accepting = this.#tables.known(code) ?? this.#find(code);
    let any = 0;
    for (let i = 0; i < words; i++) any |= live[i] = (live[i] as number) & (accepting[i] as number);
    this.#steps += 4 * words;
    if (any === 0) return this.#emptyPlace(isEnd, false);
    return this.#placeOf(live, isEnd, this.#isComplete(live, situationOf(isEnd, false)));
  }

  #find(code: number): Bits {
    this.#steps += this.#tables.classes * (this.#tables.words + TEST_STEPS);
    return this.#tables.find(code);
  }

  /** The inner loop: for each state, adds the states that may follow it. */
  #addFollowing(states: Bits, situation: number): void {
    const { follow, words } = this.#tables;
    const table = follow[situation] as Bits;
    const live = this.#live;
    let combined = 0;
    for (let word = 0; word < words; word++) {
      for (let bits = states[word] as number; bits !== 0; bits &= bits - 1) {
        const at = ((word << 5) + (31 - Math.clz32(bits & -bits))) * words;
        for (let i = 0; i < words; i++) live[i] = (live[i] as number) | (table[at + i] as number);
        combined += words;
      }
    }
    this.#steps += combined;
  }

  #isComplete(states: Bits, situation: number): boolean {
    const complete = this.#tables.complete[situation] as Bits;
    for (let i = 0; i < complete.length; i++) {
      if (((states[i] as number) & (complete[i] as number)) !== 0) return true;
    }
    return false;
  }

  #emptyPlace(atStart: boolean, isMatch: boolean): Place {
    return this.#empty[(atStart ? 1 : 0) | (isMatch ? 2 : 0)] as Place;
  }

  #placeOf(states: Bits, atStart: boolean, isMatch: boolean): Place {
    if (this.#places.size >= PLACES_MAX) return this.#pass(states, atStart, isMatch);
    this.#steps += NAMING_STEPS;
    const name = `${states} ${atStart} ${isMatch}`;
    const known = this.#places.get(name);
    if (known !== undefined) return known;
    const place: Place = { states: states.slice(), isEmpty: false, atStart, isMatch, next: [] };
    this.#places.set(name, place);
    return place;
  }

  /** Not cached: overwrites the buffer of the place before the last. */
  #pass(states: Bits, atStart: boolean, isMatch: boolean): Place {
    const place = this.#place === this.#passing[0] ? this.#passing[1] : this.#passing[0];
    place.states.set(states);
    place.isEmpty = false;
    place.atStart = atStart;
    place.isMatch = isMatch;
    return place;
  }
}

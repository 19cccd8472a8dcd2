/**
 * A compiled pattern as bit sets, with one bit ("state") for each character position of the pattern. The tables hold
 * which states follow a state, which states accept a character, and which states complete a match. They are built once,
 * so that matching only combines words.
 *
 * Which states follow depends on the position in the text: at the start of a line, before its end, both or neither.
 * Each of these four situations has its own tables.
 */
import { PATTERN_WAYS_MAX } from '../../protocol/limits.ts';
import type { CharSet } from './char-set.ts';
import { compile, type Node, type Program, tooLarge } from './pattern-program.ts';

/** Bit sets in words of 32 states. */
export type Bits = Uint32Array;

const SITUATIONS = 4;

export function situationOf(atStart: boolean, atEnd: boolean): number {
  return (atStart ? 1 : 0) | (atEnd ? 2 : 0);
}

const ASCII = 128;

/** How many non-ASCII characters are cached: enough for a page of Chinese, in half a megabyte. */
const OTHERS_KEPT = 4096;

/** The states reachable without consuming a character, and whether the end is reachable. */
interface Closure {
  readonly bits: Bits;
  readonly isMatch: boolean;
}

export class PatternTables {
  readonly states: number;
  readonly words: number;
  /** By situation: the states in which a match may begin. */
  readonly first: readonly Bits[];
  /** By situation: the states after which a match is complete. */
  readonly complete: readonly Bits[];
  /** By situation: whether the empty string matches. */
  readonly matchesNothing: readonly boolean[];
  /** By situation and state, in `words` words each: the states that may follow. */
  readonly follow: readonly Bits[];
  /** What building the tables cost, in steps of about 15 ns. */
  readonly buildSteps: number;
  readonly #ascii: readonly Bits[];
  readonly #classes: readonly { readonly set: CharSet; readonly bits: Bits }[];
  readonly #others = new Map<number, Bits>();
  readonly #none: Bits;

  constructor(source: string) {
    const program = compile(source);
    const nodes = program.nodes.flatMap((node, at) => (node.kind === 'char' ? [{ node, at }] : []));
    const stateAt = new Map(nodes.map(({ at }, state) => [at, state]));
    this.states = nodes.length;
    this.words = Math.max(1, Math.ceil(nodes.length / 32));
    const closures = new Closures(program, stateAt, this.words);
    const close = (from: number, situation: number) => closures.of(from, situation);
    const situations = Array.from({ length: SITUATIONS }, (_, situation) => situation);
    const begin = situations.map((situation) => close(program.first, situation));
    this.first = begin.map(({ bits }) => bits);
    this.matchesNothing = begin.map(({ isMatch }) => isMatch);
    const after = situations.map((situation) => nodes.map(({ node }) => close(node.next, situation)));
    this.follow = after.map((following) => joined(following, this.words));
    this.buildSteps = closures.steps;
    this.complete = after.map((following) => {
      const bits = new Uint32Array(this.words);
      following.forEach(({ isMatch }, state) => {
        if (isMatch) include(bits, state);
      });
      return bits;
    });
    this.#none = new Uint32Array(this.words);
    this.#classes = classesOf(
      nodes.map(({ node }) => node.set),
      this.words,
    );
    this.#ascii = Array.from({ length: ASCII }, (_, code) => this.#test(code));
  }

  /** The states that accept this character, if cached. */
  known(code: number): Bits | undefined {
    return code < ASCII ? this.#ascii[code] : this.#others.get(code);
  }

  /** Computes the same for a character that is not cached, in about `classes` × `words` steps. */
  find(code: number): Bits {
    const bits = this.#test(code);
    if (this.#others.size < OTHERS_KEPT) this.#others.set(code, bits);
    return bits;
  }

  /** The number of distinct sets of characters. */
  get classes(): number {
    return this.#classes.length;
  }

  #test(code: number): Bits {
    let bits: Bits | undefined;
    for (const { set, bits: states } of this.#classes) {
      if (!set.has(code)) continue;
      bits ??= new Uint32Array(this.words);
      union(bits, states);
    }
    return bits ?? this.#none;
  }
}

/** Finds everything that is reachable from a node without consuming a character. */
class Closures {
  readonly #nodes: readonly Node[];
  readonly #stateAt: ReadonlyMap<number, number>;
  readonly #words: number;
  /** Whether the situation matters at all. */
  readonly #hasAnchors: boolean;
  readonly #known = new Map<number, Closure>();
  /** By node: the number of the search that reached it last. */
  readonly #reached: Uint32Array;
  #searches = 0;
  /** How many nodes were visited. */
  steps = 0;

  constructor({ nodes }: Program, stateAt: ReadonlyMap<number, number>, words: number) {
    this.#nodes = nodes;
    this.#stateAt = stateAt;
    this.#words = words;
    this.#hasAnchors = nodes.some(({ kind }) => kind === 'start' || kind === 'end');
    this.#reached = new Uint32Array(nodes.length);
  }

  of(from: number, situation: number): Closure {
    const key = this.#hasAnchors ? from * SITUATIONS + situation : from;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const found = this.#find(from, situation);
    this.#known.set(key, found);
    return found;
  }

  #find(from: number, situation: number): Closure {
    const bits = new Uint32Array(this.#words);
    const search = ++this.#searches;
    const open = [from];
    let isMatch = false;
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (this.#reached[at] === search) continue;
      this.#reached[at] = search;
      if (++this.steps > PATTERN_WAYS_MAX) throw tooLarge();
      const node = this.#nodes[at] as Node;
      if (node.kind === 'match') isMatch = true;
      else if (node.kind === 'char') include(bits, this.#stateAt.get(at) ?? 0);
      else if (node.kind === 'split') open.push(node.next, node.other);
      else if ((situation & (node.kind === 'start' ? 1 : 2)) !== 0) open.push(node.next);
    }
    return { bits, isMatch };
  }
}

/** Groups states that share a set, so that each set is looked at once. */
function classesOf(sets: readonly CharSet[], words: number): { set: CharSet; bits: Bits }[] {
  const classes = new Map<CharSet, Bits>();
  sets.forEach((set, state) => {
    const bits = classes.get(set) ?? new Uint32Array(words);
    include(bits, state);
    classes.set(set, bits);
  });
  return [...classes].map(([set, bits]) => ({ set, bits }));
}

function joined(closures: readonly Closure[], words: number): Bits {
  const all = new Uint32Array(closures.length * words);
  closures.forEach(({ bits }, state) => void all.set(bits, state * words));
  return all;
}

function include(bits: Bits, state: number): void {
  bits[state >>> 5] = (bits[state >>> 5] as number) | (1 << (state & 31));
}

function union(into: Bits, other: Bits): void {
  for (let i = 0; i < into.length; i++) into[i] = (into[i] as number) | (other[i] as number);
}

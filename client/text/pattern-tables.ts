/**
 * A compiled pattern as bit sets, with one bit ("state") for each character position of the pattern. The tables hold
 * which states follow a state, which states accept a character, and which states complete a match. They are built once,
 * so that matching only combines words.
 *
 * Which states follow depends on the position in the text: at the start of a line, before its end, both or neither.
 * Each of these four situations has its own tables.
 */
import { type CharTest, compile, type Node, type Program } from './pattern-program.ts';

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
  readonly #ascii: readonly Bits[];
  readonly #classes: readonly { readonly test: CharTest; readonly bits: Bits }[];
  readonly #others = new Map<number, Bits>();
  readonly #none: Bits;

  constructor(source: string) {
    const program = compile(source);
    const nodes = program.nodes.flatMap((node, at) => (node.kind === 'char' ? [{ node, at }] : []));
    const stateAt = new Map(nodes.map(({ at }, state) => [at, state]));
    this.states = nodes.length;
    this.words = Math.max(1, Math.ceil(nodes.length / 32));
    const close = (from: number, situation: number) => closure(program, from, situation, stateAt, this.words);
    const situations = Array.from({ length: SITUATIONS }, (_, situation) => situation);
    const begin = situations.map((situation) => close(program.first, situation));
    this.first = begin.map(({ bits }) => bits);
    this.matchesNothing = begin.map(({ isMatch }) => isMatch);
    const after = situations.map((situation) => nodes.map(({ node }) => close(node.next, situation)));
    this.follow = after.map((closures) => joined(closures, this.words));
    this.complete = after.map((closures) => {
      const bits = new Uint32Array(this.words);
      closures.forEach(({ isMatch }, state) => {
        if (isMatch) include(bits, state);
      });
      return bits;
    });
    this.#none = new Uint32Array(this.words);
    this.#classes = classesOf(
      nodes.map(({ node }) => node.test),
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

  /** The number of distinct character tests. */
  get classes(): number {
    return this.#classes.length;
  }

  #test(code: number): Bits {
    let bits: Bits | undefined;
    for (const { test, bits: states } of this.#classes) {
      if (!test(code)) continue;
      bits ??= new Uint32Array(this.words);
      union(bits, states);
    }
    return bits ?? this.#none;
  }
}

/** Everything reachable from a node without consuming a character. */
function closure(
  { nodes }: Program,
  from: number,
  situation: number,
  stateAt: ReadonlyMap<number, number>,
  words: number,
): Closure {
  const bits = new Uint32Array(words);
  const reached = new Set<number>();
  const open = [from];
  let isMatch = false;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (reached.has(at)) continue;
    reached.add(at);
    const node = nodes[at] as Node;
    if (node.kind === 'match') isMatch = true;
    if (node.kind === 'char') include(bits, stateAt.get(at) ?? 0);
    if (node.kind === 'split') open.push(node.next, node.other);
    const passes =
      (node.kind === 'start' && (situation & 1) !== 0) || (node.kind === 'end' && (situation & 2) !== 0);
    if (passes) open.push((node as Extract<Node, { kind: 'start' | 'end' }>).next);
  }
  return { bits, isMatch };
}

/** Groups states that share a test, so that each test runs once. */
function classesOf(tests: readonly CharTest[], words: number): { test: CharTest; bits: Bits }[] {
  const classes = new Map<CharTest, Bits>();
  tests.forEach((test, state) => {
    const bits = classes.get(test) ?? new Uint32Array(words);
    include(bits, state);
    classes.set(test, bits);
  });
  return [...classes].map(([test, bits]) => ({ test, bits }));
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

/**
 * Regular expressions that can not hang: compiled to a set of states that is moved on by every character, so that
 * reading n characters with a pattern of m takes at most n × m steps, whatever either of them is. What needs a memory
 * (back references, look-around) is refused. The states are all that is kept between characters, so a match may begin
 * in one frame and end in another, and nothing has to be kept to look at again.
 *
 *   alternatives = sequence { "|" sequence }
 *   sequence     = { atom [ "*" | "+" | "?" | "{n}" | "{n,}" | "{n,m}" ] }
 *   atom         = "(" alternatives ")" | "[…]" | "." | "^" | "$" | "\" escape | any other character
 */
import { ApiError } from './api-error.ts';

type CharTest = (char: string) => boolean;

type Node =
  | { readonly kind: 'char'; readonly test: CharTest; next: number }
  | { readonly kind: 'split'; next: number; other: number }
  | { readonly kind: 'start' | 'end'; next: number }
  | { readonly kind: 'match' };

/** Repetitions are written out; more states than this would cost more than a terminal prints. */
const STATES_MAX = 2000;

const bad = (why: string) => new ApiError(400, 'bad_pattern', `The pattern can not be used: ${why}.`);

/** A parsed piece builds itself in front of the state `next`, and says where it begins. */
type Build = (program: Node[], next: number) => number;

/** Where reading has got to: all places in the program at once, and whether a line begins here. */
interface Place {
  readonly states: ReadonlySet<number>;
  readonly atStart: boolean;
  readonly isMatch: boolean;
  /** Whether it is remembered, and may be led to. */
  readonly isKept: boolean;
  /** Where each character of ASCII leads from here, as far as it was tried before. */
  readonly next: (Place | undefined)[];
}

/** Places that are remembered; a pattern that has more is read at the same speed as before they were known. */
const PLACES_MAX = 500;
const ASCII = 128;
const NEWLINE = 10;

export class Pattern {
  readonly #program: Node[] = [];
  readonly #first: number;
  readonly #places = new Map<string, Place>();
  readonly #beginning: Place;
  #place: Place;

  constructor(source: string) {
    const build = new Parser(source).parse();
    const match = add(this.#program, { kind: 'match' });
    this.#first = build(this.#program, match);
    if (this.#closure([], false, false) === null || this.#closure([], true, true) === null) {
      throw bad('it would match nothing at all, everywhere');
    }
    this.#beginning = this.#placeOf(new Set(), true, false);
    this.#place = this.#beginning;
  }

  /** Text as it is. */
  static literal(text: string): Pattern {
    return new Pattern(text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  }

  /** True when a match ends with this character (its code point), or with the line before it. */
  step(code: number): boolean {
    const known = code < ASCII ? this.#place.next[code] : undefined;
    const next = known ?? this.#lookUp(code);
    if (code < ASCII && next.isKept) this.#place.next[code] = next;
    this.#place = next;
    return next.isMatch;
  }

  /** A match that only waits for the end of a line has it when nothing more is printed for now. */
  rest(): boolean {
    const { states, atStart } = this.#place;
    return this.#closure(states, atStart, true) === null;
  }

  /** What was read so far is of the past. */
  restart(): void {
    this.#place = this.#beginning;
  }

  #lookUp(code: number): Place {
    const isEnd = code === NEWLINE;
    const live = this.#closure(this.#place.states, this.#place.atStart, isEnd);
    if (live === null) return this.#placeOf(new Set(), isEnd, true);
    const char = String.fromCodePoint(code);
    const moved = new Set<number>();
    for (const state of live) {
      const node = this.#program[state];
      if (node?.kind === 'char' && node.test(char)) moved.add(node.next);
    }
    return this.#placeOf(moved, isEnd, this.#closure(moved, isEnd, false, false) === null);
  }

  #placeOf(states: ReadonlySet<number>, atStart: boolean, isMatch: boolean): Place {
    const key = `${[...states].sort((a, b) => a - b)} ${atStart} ${isMatch}`;
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const isKept = this.#places.size < PLACES_MAX;
    const place: Place = { states, atStart, isMatch, isKept, next: [] };
    if (isKept) this.#places.set(key, place);
    return place;
  }

  /** All states that can be reached without a character; null when one of them is a match. */
  #closure(
    states: Iterable<number>,
    atStart: boolean,
    atEnd: boolean,
    mayBegin = true,
  ): ReadonlySet<number> | null {
    const reached = new Set<number>();
    const open = mayBegin ? [...states, this.#first] : [...states];
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      if (reached.has(state)) continue;
      reached.add(state);
      const node = this.#program[state];
      if (node?.kind === 'match') return null;
      if (node?.kind === 'split') open.push(node.next, node.other);
      if ((node?.kind === 'start' && atStart) || (node?.kind === 'end' && atEnd)) open.push(node.next);
    }
    return reached;
  }
}

function add(program: Node[], node: Node): number {
  if (program.length >= STATES_MAX) throw bad('its repetitions make it too large');
  return program.push(node) - 1;
}

const CLASSES: Readonly<Record<string, CharTest>> = {
  d: (char) => char >= '0' && char <= '9',
  w: (char) => /^\w$/.test(char),
  s: (char) => /^\s$/.test(char),
};
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

class Parser {
  readonly #chars: readonly string[];
  #at = 0;

  constructor(source: string) {
    this.#chars = [...source];
  }

  parse(): Build {
    const build = this.#alternatives();
    if (this.#at < this.#chars.length) throw bad('a ) has no (');
    return build;
  }

  #alternatives(): Build {
    const first = this.#sequence();
    if (!this.#take('|')) return first;
    const rest = this.#alternatives();
    return (program, next) => {
      const [a, b] = [first(program, next), rest(program, next)];
      return add(program, { kind: 'split', next: a, other: b });
    };
  }

  #sequence(): Build {
    const atoms: Build[] = [];
    while (this.#at < this.#chars.length && this.#peek() !== '|' && this.#peek() !== ')') {
      atoms.push(this.#repeated(this.#atom()));
    }
    return (program, next) => atoms.reduceRight((after, atom) => atom(program, after), next);
  }

  #repeated(atom: Build): Build {
    if (this.#take('*')) return many(atom, 0, Number.POSITIVE_INFINITY);
    if (this.#take('+')) return many(atom, 1, Number.POSITIVE_INFINITY);
    if (this.#take('?')) return many(atom, 0, 1);
    const counted = /^\{(\d{1,3})(,(\d{1,3})?)?\}/.exec(this.#chars.slice(this.#at, this.#at + 9).join(''));
    if (counted === null) return atom;
    this.#at += counted[0].length;
    const least = Number(counted[1]);
    const most =
      counted[2] === undefined
        ? least
        : counted[3] === undefined
          ? Number.POSITIVE_INFINITY
          : Number(counted[3]);
    if (most < least) throw bad('a repetition ends before it begins');
    return many(atom, least, most);
  }

  #atom(): Build {
    const char = this.#next();
    switch (char) {
      case '(':
        return this.#group();
      case '[':
        return one(this.#set());
      case '.':
        return one((other) => other !== '\n');
      case '^':
        return (program, next) => add(program, { kind: 'start', next });
      case '$':
        return (program, next) => add(program, { kind: 'end', next });
      case '\\':
        return one(this.#escape());
      case '*':
      case '+':
      case '?':
        throw bad(`there is nothing for ${char} to repeat`);
      default:
        return one((other) => other === char);
    }
  }

  #group(): Build {
    if (this.#take('?') && !this.#take(':')) throw bad('look-around and named groups are not supported');
    const inner = this.#alternatives();
    if (!this.#take(')')) throw bad('a ( has no )');
    return inner;
  }

  #escape(): CharTest {
    const char = this.#next();
    const isClass = CLASSES[char.toLowerCase()];
    if (isClass !== undefined) return char === char.toLowerCase() ? isClass : (other) => !isClass(other);
    if (/[1-9bBk]/.test(char)) throw bad(`\\${char} is not supported`);
    const meant = CONTROLS[char] ?? char;
    return (other) => other === meant;
  }

  #set(): CharTest {
    const isNegated = this.#take('^');
    const tests: CharTest[] = [];
    do tests.push(this.#range());
    while (this.#peek() !== ']');
    this.#next();
    return (char) => tests.some((test) => test(char)) !== isNegated;
  }

  #range(): CharTest {
    const from = this.#next();
    if (from === '\\') return this.#escape();
    if (this.#peek() !== '-' || this.#chars[this.#at + 1] === ']') return (char) => char === from;
    this.#next();
    const to = this.#next();
    if (to < from) throw bad('a range ends before it begins');
    return (char) => char >= from && char <= to;
  }

  #peek(): string {
    const char = this.#chars[this.#at];
    if (char === undefined) throw bad('it ends too soon');
    return char;
  }

  #next(): string {
    const char = this.#peek();
    this.#at++;
    return char;
  }

  #take(char: string): boolean {
    if (this.#chars[this.#at] !== char) return false;
    this.#at++;
    return true;
  }
}

const one =
  (test: CharTest): Build =>
  (program, next) =>
    add(program, { kind: 'char', test, next });

function many(atom: Build, least: number, most: number): Build {
  return (program, next) => {
    let at = next;
    if (most === Number.POSITIVE_INFINITY) {
      const loop: Extract<Node, { kind: 'split' }> = { kind: 'split', next: 0, other: next };
      at = add(program, loop);
      loop.next = atom(program, at);
    } else {
      for (let i = least; i < most; i++)
        at = add(program, { kind: 'split', next: atom(program, at), other: next });
    }
    for (let i = 0; i < least; i++) at = atom(program, at);
    return at;
  };
}

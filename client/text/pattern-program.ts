/**
 * Parses a regular expression and compiles it to a program of nodes, which pattern.ts runs. Features that would need
 * memory (back references, look-around) are refused, and so are patterns that are too large once their repetitions are
 * expanded.
 *
 *   alternatives = sequence { "|" sequence }
 *   sequence     = { atom [ "*" | "+" | "?" | "{n}" | "{n,}" | "{n,m}" ] }
 *   atom         = "(" alternatives ")" | "[…]" | "." | "^" | "$" | "\" escape | any other character
 */
import { PATTERN_BUILD_STEPS_MAX, PATTERN_STATES_MAX } from '../../protocol/limits.ts';
import { CharSet } from './char-set.ts';

export type Node =
  | { readonly kind: 'char'; readonly set: CharSet; readonly next: number }
  | { readonly kind: 'split'; next: number; readonly other: number }
  | { readonly kind: 'start' | 'end'; readonly next: number }
  | { readonly kind: 'match' };

export interface Program {
  readonly nodes: readonly Node[];
  readonly first: number;
}

/** The pattern is not one that can be searched for. The message says why, and what to write instead. */
export class BadPattern extends Error {
  override readonly name = 'BadPattern';
  readonly why: string;

  constructor(why: string) {
    super(`The pattern cannot be used: ${why}.`);
    this.why = why;
  }
}

export function compile(source: string): Program {
  const build = new Parser(source).parse();
  const draft = new Draft();
  const match = draft.add({ kind: 'match' });
  const first = build(draft, match);
  return { nodes: draft.nodes, first };
}

/** Emits a parsed piece so that it continues at the node `next`. Returns the node where the piece begins. */
type Build = (draft: Draft, next: number) => number;

/** A program under construction. It counts its size, because a short pattern may expand to a very long program. */
class Draft {
  readonly nodes: Node[] = [];
  #states = 0;
  #steps = 0;

  add(node: Node): number {
    if (node.kind === 'char') this.#states++;
    if (this.#states > PATTERN_STATES_MAX) throw tooLarge();
    this.step();
    return this.nodes.push(node) - 1;
  }

  /** Also counts pieces that add no node: an empty group can be repeated too. */
  step(): void {
    this.#steps++;
    if (this.#steps > PATTERN_BUILD_STEPS_MAX) throw tooLarge();
  }
}

export const tooLarge = () =>
  new BadPattern(`with its repetitions it has more than ${PATTERN_STATES_MAX} characters; shorten it`);

const codeOf = (char: string): number => char.codePointAt(0) ?? 0;

const CLASSES: Readonly<Record<string, CharSet>> = {
  d: new CharSet([[0x30, 0x39]]),
  w: new CharSet([
    [0x30, 0x39],
    [0x41, 0x5a],
    [0x5f, 0x5f],
    [0x61, 0x7a],
  ]),
  // As in a regular expression of JavaScript.
  s: new CharSet([
    [0x09, 0x0d],
    [0x20, 0x20],
    [0xa0, 0xa0],
    [0x1680, 0x1680],
    [0x2000, 0x200a],
    [0x2028, 0x2029],
    [0x202f, 0x202f],
    [0x205f, 0x205f],
    [0x3000, 0x3000],
    [0xfeff, 0xfeff],
  ]),
};
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };
const NEWLINE = 10;

/** A count of any length: one that is too large is refused, and never taken for plain text. */
const COUNTED = /^\{(\d+)(,(\d+)?)?\}/;

const notNewline = new CharSet([[NEWLINE, NEWLINE]]).negated();

class Parser {
  readonly #chars: readonly string[];
  #at = 0;

  constructor(source: string) {
    this.#chars = [...source];
  }

  parse(): Build {
    const build = this.#alternatives();
    if (this.#at < this.#chars.length) throw new BadPattern('unmatched )');
    return build;
  }

  #alternatives(): Build {
    const first = this.#sequence();
    if (!this.#take('|')) return first;
    const rest = this.#alternatives();
    return (draft, next) => {
      const [a, b] = [first(draft, next), rest(draft, next)];
      return draft.add({ kind: 'split', next: a, other: b });
    };
  }

  #sequence(): Build {
    const atoms: Build[] = [];
    while (this.#at < this.#chars.length && this.#peek() !== '|' && this.#peek() !== ')') {
      atoms.push(this.#repeated(this.#atom()));
    }
    return (draft, next) => {
      draft.step();
      return atoms.reduceRight((after, atom) => atom(draft, after), next);
    };
  }

  #repeated(atom: Build): Build {
    if (this.#take('*')) return many(atom, 0, Number.POSITIVE_INFINITY);
    if (this.#take('+')) return many(atom, 1, Number.POSITIVE_INFINITY);
    if (this.#take('?')) return many(atom, 0, 1);
    const counted = this.#chars[this.#at] === '{' ? COUNTED.exec(this.#chars.slice(this.#at).join('')) : null;
    if (counted === null) return atom;
    this.#at += counted[0].length;
    const least = Number(counted[1]);
    const most =
      counted[2] === undefined
        ? least
        : counted[3] === undefined
          ? Number.POSITIVE_INFINITY
          : Number(counted[3]);
    if (most < least) throw new BadPattern('a repetition ends before it begins');
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
        return one(notNewline);
      case '^':
        return (draft, next) => draft.add({ kind: 'start', next });
      case '$':
        return (draft, next) => draft.add({ kind: 'end', next });
      case '\\':
        return one(this.#escape());
      case '*':
      case '+':
      case '?':
        throw new BadPattern(
          `there is nothing for ${char} to repeat; write \\${char} for the character, and leave it out after another repetition`,
        );
      default:
        return one(only(char));
    }
  }

  #group(): Build {
    if (this.#take('?') && !this.#take(':'))
      throw new BadPattern('look-around and named groups are not supported; use ( ) or (?: )');
    const inner = this.#alternatives();
    if (!this.#take(')')) throw new BadPattern('unmatched (');
    return inner;
  }

  #escape(): CharSet {
    const char = this.#next();
    const known = CLASSES[char.toLowerCase()];
    if (known !== undefined) return char === char.toLowerCase() ? known : known.negated();
    const control = CONTROLS[char];
    if (control === undefined && /[A-Za-z0-9]/.test(char))
      throw new BadPattern(
        `\\${char} is not supported; write the characters themselves, or a class as [abc]`,
      );
    return only(control ?? char);
  }

  #set(): CharSet {
    const isNegated = this.#take('^');
    const sets: CharSet[] = [];
    do sets.push(this.#range());
    while (this.#peek() !== ']');
    this.#next();
    const all = new CharSet(sets.flatMap(({ ranges }) => ranges));
    return isNegated ? all.negated() : all;
  }

  #range(): CharSet {
    const from = this.#next();
    if (from === '\\') return this.#escape();
    if (this.#peek() !== '-' || this.#chars[this.#at + 1] === ']') return only(from);
    this.#next();
    const [first, last] = [codeOf(from), codeOf(this.#next())];
    if (last < first) throw new BadPattern('a range ends before it begins');
    return new CharSet([[first, last]]);
  }

  #peek(): string {
    const char = this.#chars[this.#at];
    if (char === undefined) throw new BadPattern('it is incomplete');
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

function only(char: string): CharSet {
  const code = codeOf(char);
  return new CharSet([[code, code]]);
}

const one =
  (set: CharSet): Build =>
  (draft, next) =>
    draft.add({ kind: 'char', set, next });

function many(atom: Build, least: number, most: number): Build {
  return (draft, next) => {
    let at = next;
    const again = (after: number) => {
      draft.step();
      return atom(draft, after);
    };
    if (most === Number.POSITIVE_INFINITY) {
      const loop: Extract<Node, { kind: 'split' }> = { kind: 'split', next: 0, other: next };
      at = draft.add(loop);
      loop.next = again(at);
    } else {
      for (let i = least; i < most; i++) at = draft.add({ kind: 'split', next: again(at), other: next });
    }
    for (let i = 0; i < least; i++) at = again(at);
    return at;
  };
}

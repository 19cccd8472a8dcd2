/**
 * Splits terminal output into tokens, in the same way as xterm. The input may be cut anywhere: an unfinished sequence
 * is kept until the rest arrives.
 *
 *            ESC               [                   0x40 to 0x7e
 *   ground ───────► escape ─────────► csi ────────────────────────► ground, with a csi token
 *                     │  P ] _ ^ X
 *                     └─────────────► string ── ST, ESC, BEL of an OSC ──► ground, with a string token
 *
 * - C1 controls (U+0080 to U+009F) count as ESC and a letter.
 * - C0 controls inside an escape or CSI sequence take effect at once, and the sequence continues. Inside a string they
 *   are dropped. DEL is dropped inside both.
 * - A lone surrogate may stand for a byte that is not UTF-8. Inside a string it becomes U+FFFD: terminals skip such
 *   bytes, and would otherwise recognise a query that contains them.
 * - CAN and SUB cancel the current sequence. So does a C1 control other than ST inside a string.
 * - Malformed and overlong CSI and escape sequences are dropped. Overlong strings are returned in parts.
 */
import { CSI_MAX_CHARS, STRING_MAX_CHARS } from '../limits.ts';
import type { StringEnd, Token } from './token.ts';

type State =
  | { readonly name: 'ground' }
  /** `endsString`: this ESC has ended a string, so a following `\` belongs to it. */
  | { readonly name: 'escape'; readonly intermediates: string; readonly endsString: boolean }
  | { readonly name: 'csi'; readonly body: string }
  /** `isLong`: the start has been returned already, and `data` is empty. */
  | {
      readonly name: 'string';
      readonly introducer: string;
      readonly data: string;
      readonly isLong: boolean;
    };

type InString = Extract<State, { name: 'string' }>;

const GROUND: State = { name: 'ground' };
const ST = '\x1b\\';
const CAN = '\x18';
const OSC = ']';
const STRING_INTRODUCERS = 'P]_^X';
/** More than any sequence has. */
const INTERMEDIATES_MAX_CHARS = 2;

const CSI_BODY = /^([<=>?]?)([\d;:]*)([ -/]{0,2})$/;

export class Tokenizer {
  #state: State = GROUND;
  #tokens: Token[] = [];

  /** Whether no sequence is unfinished. */
  get isGround(): boolean {
    return this.#state === GROUND;
  }

  /** The tokens that are complete. Surrogate pairs must not be split between two calls. */
  take(text: string): readonly Token[] {
    const tokens: Token[] = [];
    this.#tokens = tokens;
    for (let at = 0; at < text.length; ) at = this.#step(text, at);
    return tokens;
  }

  /** Discards an unfinished sequence: another stream begins. */
  reset(): void {
    this.#state = GROUND;
  }

  /** Consumes a run of text, a sequence or one character; returns where to continue. */
  #step(text: string, at: number): number {
    const state = this.#state;
    if (state.name === 'ground' || state.name === 'string') {
      const end = nextControl(text, at);
      if (end > at) {
        if (state.name === 'string') this.#extend(state, text.slice(at, end).toWellFormed());
        else this.#tokens.push({ kind: 'text', text: text.slice(at, end) });
        return end;
      }
      if (state.name === 'ground') {
        const afterCsi = this.#wholeCsi(text, at);
        if (afterCsi > at) return afterCsi;
      }
    }
    const code = text.codePointAt(at) as number;
    this.#character(code);
    return code > 0xffff ? at + 2 : at + 1;
  }

  /** A fast path for ordinary CSI sequences. The result is the same as character by character. */
  #wholeCsi(text: string, at: number): number {
    if (text.charCodeAt(at) !== 0x1b || text.charCodeAt(at + 1) !== 0x5b) return at;
    const start = at + 2;
    const afterPrefix = isPrefix(text.charCodeAt(start)) ? start + 1 : start;
    let end = afterPrefix;
    while (isParameter(text.charCodeAt(end))) end++;
    const final = text.charCodeAt(end);
    if (!(final >= 0x40 && final <= 0x7e) || end - start > CSI_MAX_CHARS) return at;
    this.#tokens.push({
      kind: 'csi',
      prefix: text.slice(start, afterPrefix),
      parameters: text.slice(afterPrefix, end),
      intermediates: '',
      final: text.charAt(end),
    });
    return end + 1;
  }

  #character(code: number): void {
    const state = this.#state;
    if (code >= 0x80 && code <= 0x9f) this.#c1(code);
    else if (code === 0x18 || code === 0x1a) this.#cancel(code);
    else if (code === 0x1b) this.#escape();
    else if (state.name === 'string') this.#controlInString(state, code);
    else if (code < 0x20) this.#tokens.push({ kind: 'control', char: String.fromCharCode(code) });
    else if (state.name === 'escape') this.#inEscape(state, code);
    else if (state.name === 'csi') this.#inCsi(state.body, code);
    else this.#tokens.push({ kind: 'control', char: String.fromCharCode(code) }); // DEL
  }

  #c1(code: number): void {
    const { name } = this.#state;
    if (name === 'string') this.#endString(code === 0x9c ? ST : CAN);
    this.#state = GROUND;
    if (code === 0x9c) return;
    const letter = String.fromCharCode(code - 0x40);
    if (letter === '[') this.#state = { name: 'csi', body: '' };
    else if (STRING_INTRODUCERS.includes(letter)) this.#beginString(letter);
    else this.#tokens.push({ kind: 'escape', intermediates: '', final: letter });
  }

  /** In ground state the control itself is returned, because some programs send it as data. */
  #cancel(code: number): void {
    const { name } = this.#state;
    if (name === 'ground') this.#tokens.push({ kind: 'control', char: String.fromCharCode(code) });
    if (name === 'string') this.#endString(CAN);
    this.#state = GROUND;
  }

  #escape(): void {
    const endsString = this.#state.name === 'string';
    if (endsString) this.#endString(ST);
    this.#state = { name: 'escape', intermediates: '', endsString };
  }

  #inEscape(state: Extract<State, { name: 'escape' }>, code: number): void {
    const { intermediates, endsString } = state;
    const char = String.fromCharCode(code);
    if (code === 0x7f) return;
    if (code < 0x30) {
      // One more than allowed marks the sequence as malformed; it need not grow further.
      if (intermediates.length <= INTERMEDIATES_MAX_CHARS)
        this.#state = { ...state, intermediates: intermediates + char };
      return;
    }
    this.#state = GROUND;
    if (code > 0x7e || intermediates.length > INTERMEDIATES_MAX_CHARS) return;
    if (intermediates === '' && char === '[') this.#state = { name: 'csi', body: '' };
    else if (intermediates === '' && STRING_INTRODUCERS.includes(char)) this.#beginString(char);
    else if (!(endsString && intermediates === '' && char === '\\'))
      this.#tokens.push({ kind: 'escape', intermediates, final: char });
  }

  #inCsi(body: string, code: number): void {
    if (code === 0x7f) return;
    if (code < 0x40) {
      // One more than allowed marks the sequence as overlong.
      if (body.length <= CSI_MAX_CHARS) this.#state = { name: 'csi', body: body + String.fromCharCode(code) };
      return;
    }
    this.#state = GROUND;
    if (code > 0x7e || body.length > CSI_MAX_CHARS) return;
    const [whole, prefix = '', parameters = '', intermediates = ''] = CSI_BODY.exec(body) ?? [];
    if (whole === undefined) return;
    this.#tokens.push({ kind: 'csi', prefix, parameters, intermediates, final: String.fromCharCode(code) });
  }

  #controlInString({ introducer }: InString, code: number): void {
    if (code !== 0x07 || introducer !== OSC) return;
    this.#endString('\x07');
    this.#state = GROUND;
  }

  #beginString(introducer: string): void {
    this.#state = { name: 'string', introducer, data: '', isLong: false };
  }

  #extend(state: InString, more: string): void {
    if (state.isLong) {
      this.#tokens.push({ kind: 'long-more', data: more });
      return;
    }
    const data = state.data + more;
    if (data.length <= STRING_MAX_CHARS) {
      this.#state = { ...state, data };
      return;
    }
    const { introducer } = state;
    this.#tokens.push({ kind: 'long-start', introducer, data: data.slice(0, STRING_MAX_CHARS) });
    this.#tokens.push({ kind: 'long-more', data: data.slice(STRING_MAX_CHARS) });
    this.#state = { ...state, data: '', isLong: true };
  }

  /** The caller sets the next state. */
  #endString(end: StringEnd): void {
    if (this.#state.name !== 'string') return;
    const { introducer, data, isLong } = this.#state;
    if (isLong) this.#tokens.push({ kind: 'long-end', end });
    else if (end !== CAN) this.#tokens.push({ kind: 'string', introducer, data, end });
  }
}

function nextControl(text: string, from: number): number {
  let at = from;
  while (at < text.length && !isControl(text.charCodeAt(at))) at++;
  return at;
}

function isControl(code: number): boolean {
  return code < 0x20 || (code >= 0x7f && code <= 0x9f);
}

/** One of `<=>?`. */
function isPrefix(code: number): boolean {
  return code >= 0x3c && code <= 0x3f;
}

/** A digit, `:` or `;`. */
function isParameter(code: number): boolean {
  return code >= 0x30 && code <= 0x3b;
}

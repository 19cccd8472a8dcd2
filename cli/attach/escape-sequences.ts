/**
 * Cuts terminal output into what it is made of, however it was cut on the way: text, controls, and sequences.
 *
 *            ESC                [                  0x40 to 0x7e
 *   ground ───────► escape ─────────► csi ────────────────────────► ground, with a sequence
 *                     │  P ] _ ^ X
 *                     └─────────────► string ──── BEL of an OSC, ESC, ST ──► ground, with a sequence
 *
 * What is not finished yet stays inside, so that whatever is written between two pieces stands between two sequences.
 */

export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'control'; readonly char: string }
  | { readonly kind: 'escape'; readonly intermediates: string; readonly final: string }
  | {
      readonly kind: 'csi';
      readonly prefix: string;
      readonly parameters: string;
      readonly intermediates: string;
      readonly final: string;
    }
  /** DCS (`P`), OSC (`]`), APC (`_`), PM (`^`), SOS (`X`). */
  | { readonly kind: 'string'; readonly introducer: string; readonly data: string };

type State =
  | { readonly name: 'ground' }
  | { readonly name: 'escape'; readonly intermediates: string }
  | { readonly name: 'csi'; readonly text: string }
  | { readonly name: 'string'; readonly introducer: string; readonly data: string };

/** No sequence that means anything is longer; longer ones are swallowed whole. */
const CSI_MAX_CHARS = 256;
/** A link's address is the longest of these. */
const STRING_MAX_CHARS = 8192;

const ESC = '\x1b';
const GROUND: State = { name: 'ground' };
const ESCAPE: State = { name: 'escape', intermediates: '' };

// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what this is about
const CONTROL = /[\x00-\x1f\x7f-\x9f]/g;

export class EscapeSequences {
  readonly #decoder = new TextDecoder();
  #state: State = GROUND;

  /** What is complete; bytes that are no UTF-8 become U+FFFD. */
  *take(bytes: Uint8Array): Generator<Piece> {
    const text = this.#decoder.decode(bytes, { stream: true });
    let at = 0;
    while (at < text.length) {
      if (this.#state.name === 'ground') {
        CONTROL.lastIndex = at;
        const end = CONTROL.exec(text)?.index ?? text.length;
        if (end > at) yield { kind: 'text', text: text.slice(at, end) };
        at = end;
      }
      const char = text[at++];
      if (char !== undefined) yield* this.#next(char);
    }
  }

  /** Another stream begins. */
  reset(): void {
    this.#decoder.decode(); // drops half a character
    this.#state = GROUND;
  }

  *#next(char: string): Generator<Piece> {
    const state = this.#state;
    if (char >= '\x80' && char <= '\x9f') {
      // A C1 control is short for ESC and a letter.
      yield* this.#next(ESC);
      yield* this.#next(String.fromCharCode(char.charCodeAt(0) - 0x40));
    } else if (char === '\x18' || char === '\x1a') {
      this.#state = GROUND; // cancels whatever was begun
    } else if (char === ESC) {
      this.#state = ESCAPE;
      if (state.name === 'string') yield* whole(state);
    } else if (state.name === 'string') {
      yield* this.#inString(state, char);
    } else if (char < ' ') {
      // Also in the middle of a sequence, which goes on afterwards.
      yield { kind: 'control', char };
    } else if (state.name === 'escape') {
      yield* this.#inEscape(state.intermediates, char);
    } else if (state.name === 'csi') {
      yield* this.#inCsi(state.text, char);
    }
  }

  *#inEscape(intermediates: string, char: string): Generator<Piece> {
    if (char <= '/') {
      this.#state = { name: 'escape', intermediates: intermediates + char };
    } else if (intermediates === '' && char === '[') {
      this.#state = { name: 'csi', text: '' };
    } else if (intermediates === '' && ']P_^X'.includes(char)) {
      this.#state = { name: 'string', introducer: char, data: '' };
    } else {
      this.#state = GROUND;
      if (char <= '~') yield { kind: 'escape', intermediates, final: char };
    }
  }

  *#inCsi(text: string, char: string): Generator<Piece> {
    if (char < '@') {
      if (text.length < CSI_MAX_CHARS) this.#state = { name: 'csi', text: text + char };
      return;
    }
    this.#state = GROUND;
    const [, prefix, parameters, intermediates] = /^([<=>?]?)([\d;:]*)([ -/]*)$/.exec(text) ?? [];
    if (char > '~' || text.length >= CSI_MAX_CHARS) return;
    if (prefix === undefined || parameters === undefined || intermediates === undefined) return;
    yield { kind: 'csi', prefix, parameters, intermediates, final: char };
  }

  *#inString(state: Extract<State, { name: 'string' }>, char: string): Generator<Piece> {
    if (char === '\x07' && state.introducer === ']') {
      this.#state = GROUND;
      yield* whole(state);
    } else if (char >= ' ' && state.data.length < STRING_MAX_CHARS) {
      this.#state = { ...state, data: state.data + char };
    }
  }
}

function* whole({ introducer, data }: Extract<State, { name: 'string' }>): Generator<Piece> {
  if (data.length < STRING_MAX_CHARS) yield { kind: 'string', introducer, data };
}

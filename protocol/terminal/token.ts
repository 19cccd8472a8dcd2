/** The tokens of terminal output, and how each is written in its 7-bit form. */

const ESC = '\x1b';

/** How a control string ends: by BEL (OSC only), by ST, or cancelled by CAN. */
export type StringEnd = '\x07' | '\x1b\\' | '\x18';

export interface EscapeToken {
  readonly kind: 'escape';
  readonly intermediates: string;
  readonly final: string;
}

export interface CsiToken {
  readonly kind: 'csi';
  /** One of `<=>?`, or empty. */
  readonly prefix: string;
  /** Digits, `;` and `:`. */
  readonly parameters: string;
  readonly intermediates: string;
  readonly final: string;
}

/** DCS (`P`), OSC (`]`), APC (`_`), PM (`^`) or SOS (`X`). The data contains no control characters. */
export interface StringToken {
  readonly kind: 'string';
  readonly introducer: string;
  readonly data: string;
  readonly end: StringEnd;
}

/**
 * A string longer than STRING_MAX_CHARS comes in parts: one `long-start` with exactly that many characters, any number
 * of `long-more`, and one `long-end`.
 */
type LongStringToken =
  | { readonly kind: 'long-start'; readonly introducer: string; readonly data: string }
  | { readonly kind: 'long-more'; readonly data: string }
  | { readonly kind: 'long-end'; readonly end: StringEnd };

export type Token =
  /** Contains no control characters. */
  | { readonly kind: 'text'; readonly text: string }
  /** One C0 control or DEL. C1 controls become escape tokens. */
  | { readonly kind: 'control'; readonly char: string }
  | EscapeToken
  | CsiToken
  | StringToken
  | LongStringToken;

/** The characters of a token. Every terminal parses them as this token, whatever the input looked like. */
export function written(token: Token): string {
  switch (token.kind) {
    case 'text':
      return token.text;
    case 'control':
      return token.char;
    case 'escape':
      return `${ESC}${token.intermediates}${token.final}`;
    case 'csi':
      return `${ESC}[${token.prefix}${token.parameters}${token.intermediates}${token.final}`;
    case 'string':
      return `${ESC}${token.introducer}${token.data}${token.end}`;
    case 'long-start':
      return `${ESC}${token.introducer}${token.data}`;
    case 'long-more':
      return token.data;
    case 'long-end':
      return token.end;
  }
}

/** The input that a composed text becomes: the same as if it were pasted, with Enter after it if wanted. */
import { pasteable } from '../terminal/pasteable.ts';

interface Manner {
  /** The program has bracketed paste on. */
  readonly isBracketed: boolean;
  readonly withEnter: boolean;
}

export function composedInput(text: string, { isBracketed, withEnter }: Manner): Uint8Array {
  // Terminals send a carriage return for the end of a line.
  const pasted = pasteable(text).replace(/\r?\n/g, '\r');
  const marked = isBracketed ? `\x1b[200~${pasted}\x1b[201~` : pasted;
  return new TextEncoder().encode(withEnter ? `${marked}\r` : marked);
}

/** Finds the key that detaches among what is typed. Inside a paste it is text like any other. */
import { keyBytes } from '../client/keys.ts';
import { UsageError } from '../command-line/usage-error.ts';

/** As telnet has it; and vim, where it follows a tag: who needs that chooses another. */
export const DEFAULT_DETACH_KEY = 'ctrl-]';

const PASTE_BEGINS = '\x1b[200~';
const PASTE_ENDS = '\x1b[201~';

/** The character of the key; null for `none`. */
export function readDetachKey(name: string): string | null {
  if (name === 'none') return null;
  const key = keyBytes(name);
  if (key.length !== 1 || key >= ' ' || '\r\n\t'.includes(key))
    throw new UsageError('the detach key is ctrl- and a letter or one of @ [ \\ ] ^ _, or none');
  return key;
}

export class DetachKey {
  readonly #key: string | null;
  #isPasting = false;
  /** The end of what was pasted so far: the mark may be cut in two. */
  #tail = '';

  constructor(key: string | null) {
    this.#key = key;
  }

  /** What to type, and whether the key came after it. */
  take(bytes: Uint8Array): { readonly typed: Uint8Array; readonly detaches: boolean } {
    const text = Buffer.from(bytes).toString('latin1');
    let at = 0;
    for (;;) {
      if (this.#isPasting) {
        const end = (this.#tail + text.slice(at)).indexOf(PASTE_ENDS);
        if (end === -1) {
          this.#tail = (this.#tail + text.slice(at)).slice(1 - PASTE_ENDS.length);
          return { typed: bytes, detaches: false };
        }
        at += end + PASTE_ENDS.length - this.#tail.length;
        this.#isPasting = false;
        this.#tail = '';
      }
      const pressed = this.#key === null ? -1 : text.indexOf(this.#key, at);
      const paste = text.indexOf(PASTE_BEGINS, at);
      if (paste === -1 || (pressed !== -1 && pressed < paste))
        return pressed === -1
          ? { typed: bytes, detaches: false }
          : { typed: bytes.subarray(0, pressed), detaches: true };
      this.#isPasting = true;
      at = paste + PASTE_BEGINS.length;
    }
  }
}

/** Finds the detach key in what the user types. Inside a bracketed paste it is ordinary text. */
import { pressedBytes } from '../client/keys.ts';
import { UsageError } from '../command-line/usage-error.ts';

/** The same key as in telnet. vim uses it to follow a tag; users who need that can choose another. */
export const DEFAULT_DETACH_KEY = 'ctrl-]';

/** The values of the parameter for Ctrl, and for Ctrl and Shift, with any combination of CapsLock and NumLock. */
const CTRL = '(?:5|69|133|197)';
const CTRL_SHIFT = '(?:6|70|134|198)';

/**
 * All that terminals send for the key: the control character, or a sequence if the program has asked for one. A
 * character that needs Shift is only in a sequence that has both the key and the character.
 */
function formsOf(key: string): RegExp {
  const character = String.fromCharCode(key.charCodeAt(0) | 0x40).toLowerCase();
  const code = character.charCodeAt(0);
  const kitty = `(?:${code}(?::\\d*)*;${CTRL}|\\d+:${code}(?::\\d*)?;${CTRL_SHIFT})(?::[12])?(?:;[\\d:]*)?u`;
  const other = `27;(?:5|6);${code}~`;
  return new RegExp(`[${escaped(key)}]|\\x1b\\[(?:${kitty}|${other})`);
}

function escaped(key: string): string {
  return `\\x${key.charCodeAt(0).toString(16).padStart(2, '0')}`;
}

const PASTE_BEGINS = '\x1b[200~';
const PASTE_ENDS = '\x1b[201~';

/** The character that the key sends; null for `none`. */
export function readDetachKey(name: string): string | null {
  if (name === 'none') return null;
  const key = pressedBytes(name);
  if (key.length !== 1 || key >= ' ' || '\r\n\t'.includes(key))
    throw new UsageError('the detach key is ctrl- and a letter or one of @ [ \\ ] ^ _, or none');
  return key;
}

export class DetachKey {
  readonly #forms: RegExp | null;
  #isPasting = false;
  /** The end of the paste so far, because the end marker may be split between two reads. */
  #tail = '';

  constructor(key: string | null) {
    this.#forms = key === null ? null : formsOf(key);
  }

  /** The bytes to type, and whether the detach key followed them. */
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
      const found = this.#forms === null ? -1 : text.slice(at).search(this.#forms);
      const pressed = found === -1 ? -1 : at + found;
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

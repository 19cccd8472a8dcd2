/**
 * Counts the values of a JSON text before it is parsed. A value of two characters becomes an object of some hundred
 * bytes, so a body of lists in lists uses a hundred times its length.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const LIST = 0x5b;
const OBJECT = 0x7b;

/** Whether the text has more values than `most`. It need not be valid JSON. */
export function hasMoreValues(text: string, most: number): boolean {
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if ((code === COMMA || code === LIST || code === OBJECT) && ++values > most) return true;
  }
  return false;
}

/** Where the string that begins at `start` ends; the end of the text when it does not. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length && text.charCodeAt(at) !== QUOTE; at++) if (text.charCodeAt(at) === BACKSLASH) at++;
  return at;
}

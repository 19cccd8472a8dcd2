/** Formats input that has not reached the program as readable text. */

/** About one line. The end is kept, because it was typed last. */
const SHOWN_CHARS = 60;

const NAMES: Readonly<Record<string, string>> = { '\r': '⏎', '\n': '⏎', '\t': '⇥', '\x1b': '⎋', '\x7f': '⌫' };

export function unsentText(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes);
  const visible = Array.from(withoutSequences(text), (char) => NAMES[char] ?? caret(char));
  const shown = visible.slice(-SHOWN_CHARS).join('');
  return visible.length > SHOWN_CHARS ? `…${shown}` : shown;
}

/** The same for input that was given up. Empty if it was only mouse and focus reports, which nobody misses. */
export function undeliveredText(bytes: Uint8Array): string {
  const text = unsentText(bytes);
  return /^[…⋯]*$/.test(text) ? '' : text;
}

/** Cursor keys and mouse and focus reports are sequences of several characters with one meaning. */
function withoutSequences(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return text.replace(/\x1b(?:\[[0-9;<?]*[ -/]*[@-~]|O[A-Za-z])/g, '⋯');
}

function caret(char: string): string {
  const code = char.charCodeAt(0);
  return code < 0x20 ? `^${String.fromCharCode(code + 0x40)}` : char;
}

/** Makes every character of a text visible, so that the user can check it before it is copied or pasted. */
import { replaceUnprintable } from '../../../protocol/printable.ts';

/** A program's clipboard text is always shorter, and nobody reads more of a longer paste. */
const SHOWN_MAX_CHARS = 128 * 1024;

/** First of the Unicode pictures for control characters, which are in the same order as those. */
const PICTURES = 0x2400;
const PICTURE_OF_DELETE = '\u2421';
const PICTURE_OF_NEWLINE = '\u240a';

/** Shows control characters as pictures and other invisible ones as code points. A final newline gets a picture too. */
export function visibleText(text: string): string {
  const hidden = text.length - SHOWN_MAX_CHARS;
  const shown = hidden > 0 ? text.slice(0, SHOWN_MAX_CHARS).toWellFormed() : text;
  const visible = replaceUnprintable(shown, pictureOf).replace(/\n$/, PICTURE_OF_NEWLINE);
  return hidden > 0 ? `${visible}… and ${hidden.toLocaleString('en')} more characters` : visible;
}

/** The length of the text, including what is scrolled out of sight. */
export function amountOf(text: string): string {
  const characters = [...text].length;
  const lines = text.replace(/(\r\n|\r|\n)$/, '').split(/\r\n|\r|\n/).length;
  return `${counted(characters, 'character')}, ${counted(lines, 'line')}`;
}

function pictureOf(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(PICTURES + code);
  if (code === 0x7f) return PICTURE_OF_DELETE;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

/** A text as somebody judges it before it is copied or pasted: everything in it can be seen. */
import { replaceUnprintable } from '../../../protocol/printable.ts';

/** The clipboard of a program is smaller. Of a paste that is larger nobody reads more. */
const SHOWN_MAX_CHARS = 128 * 1024;

/** Pictures of the control characters, in their order. */
const PICTURES = 0x2400;
const PICTURE_OF_DELETE = '\u2421';
const PICTURE_OF_NEWLINE = '\u240a';

/** Control characters as their pictures, other invisible ones as their numbers. A line end at the end has a picture too. */
export function visibleText(text: string): string {
  const hidden = text.length - SHOWN_MAX_CHARS;
  const shown = hidden > 0 ? text.slice(0, SHOWN_MAX_CHARS).toWellFormed() : text;
  const visible = replaceUnprintable(shown, pictureOf).replace(/\n$/, PICTURE_OF_NEWLINE);
  return hidden > 0 ? `${visible}… and ${hidden.toLocaleString('en')} more characters` : visible;
}

/** How much it is: what scrolls out of sight is counted. */
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

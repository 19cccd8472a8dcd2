/**
 * Makes text from programs and other machines safe to show. It removes invisible characters: control characters,
 * characters that change the direction of surrounding text, and zero-width characters in which text can hide.
 *
 * Variation selectors stay, because they choose between text and emoji. Joiners between non-ASCII characters stay:
 * emoji, Persian and the scripts of India need them. Tag characters are removed, so the flag of Scotland becomes a
 * black flag.
 */
import { COMBINING_MARKS_MAX, NAME_MAX_CHARS } from './limits.ts';

const JOINER_BETWEEN = String.raw`(?<=[^\0-\x7f\p{Cf}])[\u200c\u200d](?=[^\0-\x7f\p{Cf}])`;
const HIDDEN = String.raw`\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb`;
const KEPT = String.raw`${JOINER_BETWEEN}|[\ufe00-\ufe0f]`;

const UNPRINTABLE = new RegExp(String.raw`(?!${KEPT})[\p{Cc}${HIDDEN}]`, 'gu');
/** All but newlines and tabs. */
const UNPRINTABLE_IN_LINES = new RegExp(String.raw`(?![\n\t]|${KEPT})[\p{Cc}${HIDDEN}]`, 'gu');
/** Characters that JSON may contain literally but a terminal would obey or hide. Escaped, they mean the same. */
const UNPRINTABLE_IN_JSON = new RegExp(String.raw`(?!\n|${KEPT})[\p{Cc}${HIDDEN}\p{Cs}]`, 'gu');
/** Every control character but newlines and tabs. */
const CONTROLS_IN_LINES = /(?![\n\t])\p{Cc}/gu;
const MARKS = new RegExp(String.raw`(\p{M}{${COMBINING_MARKS_MAX}})\p{M}+`, 'gu');
/** What cutting may leave at the end. */
const DANGLING = /[\s\u200c\u200d]+$/u;

/** One line of at most `maxChars`, cut between characters. */
export function printable(text: string, maxChars: number = NAME_MAX_CHARS): string {
  // Cut generously first, so that the work is bounded by what is shown and not by what was sent.
  const bounded = cut(text, maxChars * 4);
  return cut(cleaned(bounded, UNPRINTABLE).trim(), maxChars).replace(DANGLING, '');
}

/** Several lines, keeping newlines and tabs. */
export function printableLines(text: string): string {
  return cleaned(text, UNPRINTABLE_IN_LINES);
}

/**
 * For a text of several lines in which every character matters: `replace` returns what to show for each invisible
 * character.
 */
export function replaceUnprintable(text: string, replace: (char: string) => string): string {
  return text.replace(UNPRINTABLE_IN_LINES, replace);
}

/** The value as JSON without characters that a terminal would obey or hide. It parses to the same value. */
export function printableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(UNPRINTABLE_IN_JSON, escaped);
}

/** Removes only control characters; direction marks stay. */
export function withoutControls(text: string): string {
  return text.replace(CONTROLS_IN_LINES, '');
}

function cleaned(text: string, unprintable: RegExp): string {
  return text.toWellFormed().replace(unprintable, '').replace(MARKS, '$1');
}

function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const isInPair = /[\ud800-\udbff]/.test(text.charAt(maxChars - 1));
  return text.slice(0, isInPair ? maxChars - 1 : maxChars);
}

function escaped(char: string): string {
  return Array.from(
    { length: char.length },
    (_, unit) => `\\u${char.charCodeAt(unit).toString(16).padStart(4, '0')}`,
  ).join('');
}

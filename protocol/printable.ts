/**
 * Text from programs and other machines, made safe to show. What is removed is invisible: control characters, characters
 * that change the direction of text around them, and characters without a width in which text can hide.
 *
 * Variation selectors stay, because they choose between text and emoji. Joiners stay between characters beyond ASCII: emoji,
 * Persian and the scripts of India need them. Tag characters go, so a flag of Scotland becomes a black flag.
 */
import { COMBINING_MARKS_MAX, NAME_MAX_CHARS } from './limits.ts';

const JOINER_BETWEEN = String.raw`(?<=[^\0-\x7f\p{Cf}])[\u200c\u200d](?=[^\0-\x7f\p{Cf}])`;
const HIDDEN = String.raw`\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb`;
const KEPT = String.raw`${JOINER_BETWEEN}|[\ufe00-\ufe0f]`;

const UNPRINTABLE = new RegExp(String.raw`(?!${KEPT})[\p{Cc}${HIDDEN}]`, 'gu');
/** All but line ends and tabs. */
const UNPRINTABLE_IN_LINES = new RegExp(String.raw`(?![\n\t]|${KEPT})[\p{Cc}${HIDDEN}]`, 'gu');
/** What JSON may contain literally and a terminal would obey or hide. Escaped, it means the same. */
const UNPRINTABLE_IN_JSON = new RegExp(String.raw`(?!\n|${KEPT})[\p{Cc}${HIDDEN}\p{Cs}]`, 'gu');
/** Every control character but line ends and tabs. */
const CONTROLS_IN_LINES = /(?![\n\t])\p{Cc}/gu;
const MARKS = new RegExp(String.raw`(\p{M}{${COMBINING_MARKS_MAX}})\p{M}+`, 'gu');
/** What a cut may leave at the end. */
const DANGLING = /[\s\u200c\u200d]+$/u;

/** One line of at most `maxChars`, cut between characters. */
export function printable(text: string, maxChars: number = NAME_MAX_CHARS): string {
  // Cut first, generously, so that the work is bounded by what is shown and not by what somebody sent.
  const bounded = cut(text, maxChars * 4);
  return cut(cleaned(bounded, UNPRINTABLE).trim(), maxChars).replace(DANGLING, '');
}

/** Several lines, with their ends and tabs. */
export function printableLines(text: string): string {
  return cleaned(text, UNPRINTABLE_IN_LINES);
}

/** For a text of several lines whose every character matters: `replace` says what is shown for each that cannot be seen. */
export function replaceUnprintable(text: string, replace: (char: string) => string): string {
  return text.replace(UNPRINTABLE_IN_LINES, replace);
}

/** The value as JSON without a character that a terminal would obey or hide. It parses to the same value. */
export function printableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(UNPRINTABLE_IN_JSON, escaped);
}

/** Text that is shown as it is, marks of direction included, but never with control characters. */
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

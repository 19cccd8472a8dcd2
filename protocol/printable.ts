/** Text from programs and strangers, made safe to show: one line, no controls, no direction tricks. */
import { NAME_MAX_CHARS } from './limits.ts';

/** C0 and C1 controls; marks, embeddings and isolates that change the direction of text around them. */
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

export function printable(text: string): string {
  return text.replace(UNPRINTABLE, '').trim().slice(0, NAME_MAX_CHARS);
}

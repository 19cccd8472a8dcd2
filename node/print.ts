/**
 * The only place where our programs write lines to a person's terminal. Names, errors and reasons come from other
 * machines, so everything is made printable here. Escape sequences for a terminal go through cli/attach instead.
 */
import { printableJson, printableLines } from '../protocol/printable.ts';

/** To stdout: the requested output. */
export function print(text: string): void {
  console.log(printableLines(text));
}

/** To stdout, for programs: lossless, and as safe on a terminal. */
export function printJson(value: unknown, indent?: number): void {
  console.log(printableJson(value, indent));
}

/** To stderr: messages for a person. */
export function say(text: string): void {
  console.error(printableLines(text));
}

/**
 * The only place where our programs write lines to a person's terminal. Names, errors and reasons come from other machines,
 * so everything is made printable here. Sequences for a terminal go through cli/attach instead.
 */
import { printableJson, printableLines } from '../protocol/printable.ts';

/** To stdout: what was asked for. */
export function print(text: string): void {
  console.log(printableLines(text));
}

/** To stdout, for programs: lossless, and as harmless on a terminal. */
export function printJson(value: unknown, indent?: number): void {
  console.log(printableJson(value, indent));
}

/** To stderr: what a person should know. */
export function say(text: string): void {
  console.error(printableLines(text));
}

/**
 * Finds the command of a key. Browsers reserve Ctrl+T, Ctrl+W, Ctrl+Tab and most of their kind, and shells use Ctrl and
 * Alt with letters. That leaves Alt and Shift together, and a few of Ctrl and Shift.
 */
import { COMMANDS, type PageCommand } from './command-table.ts';

interface Pressed {
  readonly code: string;
  /** The character that the key types. */
  readonly key: string;
  readonly altKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
}

const PROMPT_STEPS: Readonly<Record<string, 1 | -1>> = { ArrowUp: -1, ArrowDown: 1 };

const ASCII_SYMBOL = /^[!-/:-@[-`{-~]$/;

/**
 * Matched by the key's position (`code`), because with Alt and Shift the typed character differs between keyboard
 * layouts.
 * `optionComposes`: a Mac on which Option with Shift types characters. Some have no other key, such as `\` on a German
 * keyboard and `[` on a French one. Shells need them, so they are typed.
 */
export function commandOf(pressed: Pressed, optionComposes: boolean): PageCommand | null {
  const { code, key, altKey, ctrlKey, metaKey, shiftKey } = pressed;
  if (!shiftKey) return null;
  const step = PROMPT_STEPS[code];
  // With Command on a Mac, whose Ctrl+↑ shows all windows.
  if (step !== undefined && !altKey && ctrlKey !== metaKey) return { kind: 'prompt', step };
  if (metaKey) return null;
  if (ctrlKey && !altKey) return COMMANDS.find(({ ctrlCode }) => ctrlCode === code)?.command ?? null;
  if (!altKey || ctrlKey || (optionComposes && ASCII_SYMBOL.test(key))) return null;
  const digit = /^Digit([1-9])$/.exec(code)?.[1];
  if (digit !== undefined) return { kind: 'go', index: Number(digit) - 1 };
  return COMMANDS.find((known) => known.code === code)?.command ?? null;
}

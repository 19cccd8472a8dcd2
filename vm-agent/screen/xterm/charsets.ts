/** Finds the letter that designates each of xterm's character sets, by asking xterm itself. */
import { createXterm } from './create-xterm.ts';
import type { XtermCharset } from './xterm.ts';

/** ASCII first; if two letters designate one set (C and 5, E and 6, H and 7), the first wins. */
const FLAGS = ['B', '0', 'A', '4', 'C', 'R', 'Q', 'K', 'Y', 'E', 'Z', 'H', '='];

let flags: ReadonlyMap<XtermCharset, string> | undefined;

export function charsetFlag(charset: XtermCharset): string {
  if (charset === undefined) return 'B';
  flags ??= learn();
  return flags.get(charset) ?? 'B';
}

function learn(): ReadonlyMap<XtermCharset, string> {
  const { core, terminal } = createXterm({ cols: 2, rows: 1 }, 0);
  const learned = new Map<XtermCharset, string>();
  for (const flag of FLAGS) {
    core._inputHandler.parse(new TextEncoder().encode(`\x1b(${flag}`));
    const charset = core._charsetService.charset;
    if (!learned.has(charset)) learned.set(charset, flag);
  }
  terminal.dispose();
  return learned;
}

/** Decides whether pasted text needs confirmation before it reaches the shell. */

/** With bracketed paste the shell waits for Enter, so only text too long to be read line by line is asked about. */
const MANY_LINES = 20;

interface PasteQuestion {
  readonly lines: number;
  readonly text: string;
}

/** The question to ask; null when none is needed. `isBracketed`: the program has bracketed paste on. */
export function pasteQuestion(text: string, isBracketed: boolean): PasteQuestion | null {
  const lines = linesOf(text);
  const most = isBracketed ? MANY_LINES : 1;
  return lines > most ? { lines, text } : null;
}

/** A newline at the end runs the last line; it does not start another. */
function linesOf(text: string): number {
  return text.replace(/(\r\n|\r|\n)$/, '').split(/\r\n|\r|\n/).length;
}

/** Whether pasted text deserves a second look before it reaches the shell. */

/** With bracketed paste the shell waits for Enter; then only what nobody reads line by line is asked about. */
const MANY_LINES = 20;

interface PasteQuestion {
  readonly lines: number;
  readonly text: string;
}

/** What to ask; null when it can go. `isBracketed`: the program takes a paste as one piece. */
export function pasteQuestion(text: string, isBracketed: boolean): PasteQuestion | null {
  const lines = linesOf(text);
  const most = isBracketed ? MANY_LINES : 1;
  return lines > most ? { lines, text } : null;
}

/** A newline at the end runs the last line; it does not begin another. */
function linesOf(text: string): number {
  return text.replace(/(\r\n|\r|\n)$/, '').split(/\r\n|\r|\n/).length;
}

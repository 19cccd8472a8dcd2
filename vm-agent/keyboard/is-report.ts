/**
 * Whether input consists only of what a terminal reports by itself: the mouse, the focus, the size. A person who only
 * moves the mouse over a terminal does not want its keyboard.
 */

/** SGR and pixel mouse, X10 mouse, urxvt mouse, focus in and out, size in cells or pixels. */
const REPORTS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: reports begin with an escape character
  /^(?:\x1b\[<\d{1,6}(?:;\d{1,6}){2}[Mm]|\x1b\[M[\s\S]{3}|\x1b\[\d{1,6}(?:;\d{1,6}){2}M|\x1b\[[IO]|\x1b\[48(?:;\d{1,6}){4}t)+$/;

/** Longer input is not only reports: a page sends each by itself. */
const REPORTS_MAX_BYTES = 512;

export function isReport(input: Uint8Array): boolean {
  if (input.length === 0) return true;
  if (input[0] !== 0x1b || input.length > REPORTS_MAX_BYTES) return false;
  return REPORTS.test(Buffer.from(input.buffer, input.byteOffset, input.byteLength).toString('latin1'));
}

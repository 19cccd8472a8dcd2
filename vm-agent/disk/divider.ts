/** Draws the line between a restored screen and the new shell below it. */
import { type DividerPlace, divider } from '../../protocol/terminal/divider.ts';

interface Restoration extends DividerPlace {
  /** When the session was restored; shown in the machine's time zone, as its shells would. */
  readonly at: Date;
  /** Roughly how many bytes of earlier output are missing. */
  readonly lostBytes: number;
}

export function restoredDivider({ at, lostBytes, ...place }: Restoration): Uint8Array {
  const lost = lostBytes > 0 ? [`about ${amount(lostBytes)} of output lost`] : [];
  return Buffer.from(divider([`restored ${minute(at)}`, ...lost, 'new shell below'].join(' · '), place));
}

/**
 * The largest number of rows a screen's text can take. Wrapped rows were joined, so lines count by their width.
 * Characters that may be two columns wide count as two: one row too many leaves an empty line, one too few would be
 * overwritten.
 */
export function rowsOf(
  text: string,
  { cols, rows }: { readonly cols: number; readonly rows: number },
): number {
  if (text === '') return 0;
  const lines = text.replace(/\n$/, '').split('\n');
  const used = lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(widestOf(line) / cols)), 0);
  return Math.min(used, rows);
}

function widestOf(line: string): number {
  let width = 0;
  for (const character of line) width += NARROW.test(character) ? 1 : 2;
  return width;
}

/** Letters of alphabets, dashes and quotes, box drawing and blocks. */
const NARROW = /[ -\u10ff\u2010-\u2027\u2500-\u259f]/;

function minute(at: Date): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

function amount(bytes: number): string {
  if (bytes < 1000) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

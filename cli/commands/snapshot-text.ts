/**
 * A snapshot as it is printed. It shows what programs printed, and comes from a machine that may be hostile, so it holds no
 * control characters, on a terminal or in a file that somebody may `cat` later. ANSI passes the filter of `attach`.
 */
import type { Size } from '../../protocol/frame.ts';
import type { SnapshotFormat } from '../../protocol/messages.ts';
import { withoutControls } from '../../protocol/printable.ts';
import { Drawing } from '../attach/drawing.ts';
import { PLAIN } from '../attach/tty-screen.ts';

interface PrintedSnapshot {
  readonly format: SnapshotFormat;
  readonly bytes: Uint8Array;
  readonly size: Size;
  /** Of whoever reads it now. That one keeps its screen, and its modes are set back behind the picture. */
  readonly isTerminal: boolean;
}

export function snapshotText({ format, bytes, size, isTerminal }: PrintedSnapshot): string {
  if (format === 'ansi') {
    const drawn = new Drawing(() => size, { mayUseAlternate: !isTerminal }).take(bytes);
    return isTerminal ? drawn + PLAIN : drawn;
  }
  const text = withoutControls(new TextDecoder().decode(bytes));
  return text.endsWith('\n') ? text : `${text}\n`;
}

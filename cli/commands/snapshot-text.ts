/**
 * Formats a snapshot for printing. Its content was printed by programs on a machine that may be hostile, so control
 * characters are removed, both for a terminal and for a file that somebody may `cat` later. ANSI output goes through
 * the filter of `attach`.
 */
import type { Size } from '../../protocol/frame.ts';
import type { SnapshotFormat } from '../../protocol/messages/message-parts.ts';
import { withoutControls } from '../../protocol/printable.ts';
import { Drawing } from '../attach/drawing.ts';
import { PLAIN } from '../attach/tty-screen.ts';

interface PrintedSnapshot {
  readonly format: SnapshotFormat;
  readonly bytes: Uint8Array;
  readonly size: Size;
  /**
   * Whether stdout is a terminal. If so, the alternate screen is not used, and the modes are reset after the snapshot.
   */
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

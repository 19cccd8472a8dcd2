/** The events of a terminal in the page: actions of the user, and requests of a program. */
import type { Size } from '../../../protocol/frame.ts';
import type { MarkEvents } from './marks/mark-events.ts';

export interface PageTerminalEvents extends MarkEvents {
  /** The user typed, or moved the mouse while the program tracks it. */
  typed(text: string): void;
  /** The same, for bytes that are not text. */
  typedBytes(bytes: Uint8Array): void;
  /** The user pastes. `isBracketed`: the program has bracketed paste on and takes the text as one piece. */
  pasted(text: string, isBracketed: boolean): void;
  /** The user copies. */
  copied(text: string): void;
  selected(text: string): void;
  /** A program wants to access the clipboard; `data` is its request, not yet parsed. */
  clipboardAsked(data: string): void;
  /** The window has room for another size. Nothing is resized yet; the owner decides. */
  fitted(size: Size): void;
  resized(): void;
  /** The terminal lost what it showed, because xterm failed to resize it. */
  emptied(): void;
  menuAsked(at: { readonly x: number; readonly y: number }): void;
  /** Handles a key that belongs to the page; true when the terminal must not get it. */
  pressed(event: KeyboardEvent): boolean;
  /** Whether keys send their usual bytes now, whatever the output has asked for. */
  hasPlainKeys(): boolean;
  /** The URL of the link under the mouse, null when there is none. */
  linkHovered(address: string | null): void;
  /** The user tapped a link. */
  linkTapped(address: string): void;
  /** The selection made by touch has changed. */
  touchSelected(): void;
}

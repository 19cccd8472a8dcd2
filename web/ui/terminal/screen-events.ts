/** What a terminal in the page tells its owner: what a person does to it, and what a program asks for. */
import type { Size } from '../../../protocol/frame.ts';

export interface PageTerminalEvents {
  /** A person typed, or moved the mouse for a program that follows it. */
  typed(text: string): void;
  /** The same in bytes that are no text. */
  typedBytes(bytes: Uint8Array): void;
  /** A person pastes; `isBracketed`: the program takes it as one piece. */
  pasted(text: string, isBracketed: boolean): void;
  /** A person copies. */
  copied(text: string): void;
  selected(text: string): void;
  /** A program asks for the clipboard; what it sent, unread. */
  clipboardAsked(data: string): void;
  /** The window has room for another size. Nothing is resized yet: that is for the owner to decide. */
  fitted(size: Size): void;
  resized(): void;
  menuAsked(at: { readonly x: number; readonly y: number }): void;
  /** What a press of a key means to the page; true when it is not for the terminal. */
  pressed(event: KeyboardEvent): boolean;
  /** Where a link leads, while the mouse is over it. */
  linkHovered(address: string | null): void;
  /** A finger has tapped a link. */
  linkTapped(address: string): void;
  /** What is selected by touch has changed. */
  touchSelected(): void;
}

/** The events of the marks of commands in the margin of a terminal. */

/** The mark of a command. */
export interface PointedMark {
  /** The key of the command. */
  readonly command: number;
  /** Where something about it can be shown. */
  readonly at: { readonly x: number; readonly y: number };
}

export interface MarkEvents {
  /** The shell has made a mark: a prompt was shown, or a command began or ended. */
  marked(): void;
  /** The mouse or the focus is on the mark of a command; null when it no longer is. */
  markPointed(mark: PointedMark | null): void;
  /** The user has chosen the mark of a command. */
  markChosen(mark: PointedMark): void;
}

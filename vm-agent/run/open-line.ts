/**
 * Whether somebody has begun a line at a prompt. A command that was typed then would become part of that line. Marks of
 * the shell say when a new prompt is there; without them, the last key decides.
 */

/** Enter, Ctrl-J, Ctrl-C, Ctrl-D and Ctrl-U leave no line behind. */
const ENDS: ReadonlySet<number> = new Set([0x0d, 0x0a, 0x03, 0x04, 0x15]);

export class OpenLine {
  #isOpen = false;

  get isOpen(): boolean {
    return this.#isOpen;
  }

  typed(keys: Uint8Array): void {
    const last = keys.at(-1);
    if (last !== undefined) this.#isOpen = !ENDS.has(last);
  }

  /** The shell shows a new prompt. */
  prompted(): void {
    this.#isOpen = false;
  }
}

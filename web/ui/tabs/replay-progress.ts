/** Tracks whether a terminal is parsing live output or a replay, and how its session was resumed. */
import type { Resume } from '../../../client/resume-record.ts';
import type { Screen } from '../../../client/screen.ts';

const NOTHING = new Uint8Array(0);

export class ReplayProgress {
  #isDone = false;
  #last: Resume | null = null;
  /** Whether the session lost its connection since it was last live. */
  #wasCut = false;

  /** Whether the whole replay has been parsed. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** The screen starts to show another session. */
  begin(): void {
    this.#last = null;
    this.#wasCut = false;
  }

  /** What comes next is a replay. */
  interrupted(): void {
    this.#isDone = false;
  }

  cut(): void {
    this.#wasCut = true;
  }

  /** The session was resumed while hidden, so there is nothing to report when it is shown. */
  cameBackUnseen(): void {
    this.#wasCut = false;
  }

  /** The session is live. Returns the resume if it is worth reporting. */
  live(resume: Resume | null, screen: Screen | null, isVisible: () => boolean): Resume | null {
    if (resume === null || resume === this.#last) return null;
    this.#last = resume;
    // Everything has arrived, but it is parsed only after the writes that are still queued in the screen.
    screen?.write(NOTHING, () => {
      this.#isDone = isVisible() && this.#last === resume;
    });
    // A new shell is reported even if the session was resumed while hidden.
    const news = this.#wasCut || resume.isNewProgram ? resume : null;
    this.#wasCut = false;
    return news;
  }
}

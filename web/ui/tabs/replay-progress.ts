/** Whether what a terminal parses happens now or is a repetition of what happened before, and how it came back. */
import type { Resume } from '../../../client/resume-record.ts';
import type { Screen } from '../../../client/screen.ts';

const NOTHING = new Uint8Array(0);

export class ReplayProgress {
  #isDone = false;
  #last: Resume | null = null;
  /** Whether the way to the session was cut since it was last live. */
  #wasCut = false;

  /** Whether everything that was printed before has been parsed. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Another session begins on the screen. */
  begin(): void {
    this.#last = null;
    this.#wasCut = false;
  }

  /** What comes next is a repetition. */
  interrupted(): void {
    this.#isDone = false;
  }

  cut(): void {
    this.#wasCut = true;
  }

  /** It came back while nobody looked: there is nothing to tell when somebody does. */
  cameBackUnseen(): void {
    this.#wasCut = false;
  }

  /** The session is live; returns what is worth telling of how it came back. */
  live(resume: Resume | null, screen: Screen | null, isVisible: () => boolean): Resume | null {
    if (resume === null || resume === this.#last) return null;
    this.#last = resume;
    // Everything has arrived; parsed it is only behind what the screen has still to do.
    screen?.write(NOTHING, () => {
      this.#isDone = isVisible() && this.#last === resume;
    });
    // A new shell is news however unseen it came.
    const news = this.#wasCut || resume.isNewProgram ? resume : null;
    this.#wasCut = false;
    return news;
  }
}

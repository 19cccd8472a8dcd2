/** What a viewer is shown to catch up with a session: what it missed, the screen, or the screen with its history. */
import type { Replay } from './replay.ts';
import { still } from './replay.ts';
import type { SessionOutput } from './session-output.ts';
import type { Viewer } from './viewer.ts';

/** A window is what a path carries in a round trip and a little more: so many of them are there within a second. */
const REPLAY_MAX_WINDOWS = 4;

/** What a screen comes with, by what its viewer wants to see of the history. */
const SCOPES = { all: 'all', none: 'screen', later: 'recent' } as const;

export class SessionReplays {
  readonly #output: SessionOutput;

  constructor(output: SessionOutput) {
    this.#output = output;
  }

  /**
   * The output since `from`; null when it is not here any more. Everything told before this call is in it,
   * everything after comes as output: neither hole nor overlap. [OU1]
   */
  since(from: number): Replay | null {
    this.#output.flush();
    return this.#output.history.replay(from);
  }

  /**
   * The screen, and what has been printed since it was taken, or as much of that as the viewer's path can carry
   * in a moment: a screen that is behind a flood may be behind by megabytes. [OU10] Null when the viewer has left, or attached
   * anew, before it was. As with `since`, live output goes on from its end. [OU1]
   */
  async screen(viewer: Viewer): Promise<Replay | null> {
    const { audience, history, screen } = this.#output;
    const taken = await screen.snapshot({ format: 'ansi', scope: SCOPES[viewer.history] });
    if (!audience.isDue(viewer)) return null;
    this.#output.flush();
    // A screen that was lost with its thread leaves the bytes: better half a picture than none.
    if (taken === undefined) return history.replay(history.start);
    const whole = history.completed(taken);
    return this.#isTooMuch(viewer, whole) ? still(whole, audience.roomOf(viewer)) : whole;
  }

  /** The same with all of its history, for a viewer that follows already; null when that does not keep up. [OU15] */
  async history(viewer: Viewer): Promise<Replay | null> {
    const { audience, history, screen } = this.#output;
    const taken = await screen.snapshot({ format: 'ansi', scope: 'all' });
    if (taken === undefined || !audience.isCalm(viewer)) return null;
    this.#output.flush();
    const whole = history.completed(taken);
    return this.#isTooMuch(viewer, whole) ? null : whole;
  }

  #isTooMuch(viewer: Viewer, { from, to }: Replay): boolean {
    return to - from > REPLAY_MAX_WINDOWS * this.#output.audience.roomOf(viewer);
  }
}

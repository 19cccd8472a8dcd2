/** What a viewer is shown to catch up with a session: what it missed, the screen, or the screen with its history. */

import type { Scope } from '../screen/serializer/ansi.ts';
import type { Taken } from '../screen/snapshot.ts';
import type { Attachment } from './attachment.ts';
import { type Replay, still } from './replay.ts';
import type { SessionOutput } from './session-output.ts';

/** A window is what a path carries in a round trip and a little more: so many of them are there within a second. */
const REPLAY_MAX_WINDOWS = 4;

/** What a screen comes with, by what its viewer wants to see of the history. */
const SCOPES = { all: 'all', none: 'screen', later: 'recent' } as const;

export class SessionReplays {
  readonly #output: SessionOutput;
  /** Screens that are being taken. Whoever asks meanwhile gets the same: asking often costs the thread nothing. */
  readonly #taking = new Map<Scope, Promise<Taken>>();

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
   * anew, before it was. As with `since`, live output goes on from its end. [OU1] `isBare`: without the history that
   * the viewer would like to see.
   */
  async screen(viewer: Attachment, isBare = false): Promise<Replay | null> {
    const { audience, history } = this.#output;
    const taken = await this.#take(isBare ? 'screen' : SCOPES[viewer.history]);
    if (!audience.isDue(viewer)) return null;
    this.#output.flush();
    // A screen that was lost with its thread, or is too large to be sent, leaves the bytes: better half a picture than none.
    if (taken === undefined || taken === 'too large') return history.replay(history.start);
    const whole = history.completed(taken);
    return this.#isTooMuch(viewer, whole) ? still(whole, audience.roomOf(viewer)) : whole;
  }

  /** The same with all of its history, for a viewer that follows already; null when that does not keep up. [OU15] */
  async history(viewer: Attachment): Promise<Replay | null> {
    const { audience, history } = this.#output;
    const taken = await this.#take('all');
    if (taken === undefined || taken === 'too large' || !audience.isCalm(viewer)) return null;
    this.#output.flush();
    const whole = history.completed(taken);
    return this.#isTooMuch(viewer, whole) ? null : whole;
  }

  #take(scope: Scope): Promise<Taken> {
    const taking = this.#taking.get(scope);
    if (taking !== undefined) return taking;
    const taken = this.#output.screen.snapshot({ format: 'ansi', scope });
    this.#taking.set(scope, taken);
    const forget = () => void this.#taking.delete(scope);
    taken.then(forget, forget);
    return taken;
  }

  #isTooMuch(viewer: Attachment, { from, to }: Replay): boolean {
    return to - from > REPLAY_MAX_WINDOWS * this.#output.audience.roomOf(viewer);
  }
}

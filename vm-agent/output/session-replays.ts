/**
 * Builds what a client gets to catch up with a session: the missing output, the screen, or the screen with its history.
 */

import type { Scope } from '../screen/serializer/ansi.ts';
import type { Taken } from '../screen/snapshot.ts';
import type { Attachment } from './attachment.ts';
import { type Replay, still } from './replay.ts';
import type { SessionOutput } from './session-output.ts';

/**
 * The longest replay, in credit windows. A window is little more than a path carries in one round trip, so this many
 * arrive within a second.
 */
const REPLAY_MAX_WINDOWS = 4;

/** The snapshot's scope for each `history` setting of an attachment. */
const SCOPES = { all: 'all', none: 'screen', later: 'recent' } as const;

export class SessionReplays {
  readonly #output: SessionOutput;
  /**
   * Snapshots being taken. Requests made meanwhile share the result, so frequent requests cost the screen's thread
   * nothing.
   */
  readonly #taking = new Map<Scope, Promise<Taken>>();

  constructor(output: SessionOutput) {
    this.#output = output;
  }

  /**
   * The output since `from`; null if it is no longer held. It contains everything sent before this call, and everything
   * after follows as live output: no gap, no overlap. [OU1]
   */
  since(from: number): Replay | null {
    this.#output.flush();
    return this.#output.history.replay(from);
  }

  /**
   * The screen and the output since it was taken, or as much of that as the client's path carries in a moment: during
   * bulk output a screen may be megabytes behind. [OU10] Null if the client left or attached again meanwhile. As with
   * `since`, live output continues at its end. [OU1] `isBare`: without the history that the client asked for.
   */
  async screen(viewer: Attachment, isBare = false): Promise<Replay | null> {
    const { audience, history } = this.#output;
    const taken = await this.#take(isBare ? 'screen' : SCOPES[viewer.history]);
    if (!audience.isDue(viewer)) return null;
    this.#output.flush();
    // If the screen was lost with its thread, or is too large, send the bytes: half a picture is better than none.
    if (taken === undefined || taken === 'too large') return history.replay(history.start);
    const whole = history.completed(taken);
    return this.#isTooMuch(viewer, whole) ? still(whole, audience.roomOf(viewer)) : whole;
  }

  /** The same with all history, for a client that already follows; null if that client does not keep up. [OU15] */
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

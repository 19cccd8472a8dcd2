/**
 * Decides when a session's time has run out and whether it may be ended. Rules AG2 to AG5.
 *
 *               watch                 time is up                 the relay answers
 *   (nothing) ─────────► waiting ────────────────────► asking ────────────────────► ended
 *                         ▲   ▲                          │
 *                         │   └── time has moved on ─────┘
 *            link is back │
 *                       stopped ◄── link is lost, from waiting and from asking
 *
 * A disconnected agent cannot tell whether clients are gone or only the relay is unreachable. So timers stop while the
 * link is down and restart in full on a new link. Even then a session ends only after the relay has answered a question
 * that was asked after the time was up. By then the agent has received everything clients sent before the answer, such
 * as a reattach, even if this process or its machine was frozen in between.
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';

/** After a new link, browsers are still reconnecting; a short grace period must not end before they are back. */
export const NEW_LINK_GRACE_MS = 30_000;

export type Reason = 'orphan_expired' | 'idle' | 'exited_expired';

interface Sentence {
  readonly id: string;
  readonly reason: Reason;
  readonly afterMs: number;
  /** The time left, checked when the timer fires; more than zero postpones the end. */
  readonly remainingMs?: () => number;
}

type State =
  | { readonly name: 'stopped' }
  | { readonly name: 'waiting'; readonly cancel: Cancel }
  | { readonly name: 'asking'; readonly question: string };

interface ReaperOptions {
  readonly clock: Clock;
  /** Asks the relay who is connected; `answered` gets the same question back. */
  readonly ask: (question: string) => void;
  readonly end: (id: string, reason: Reason) => void;
}

export class Reaper {
  readonly #options: ReaperOptions;
  readonly #entries = new Map<string, { readonly sentence: Sentence; state: State }>();
  #linked = false;
  #questions = 0;

  constructor(options: ReaperOptions) {
    this.#options = options;
  }

  /** Starts or restarts the timer of `sentence`. A time of zero never runs out. */
  watch(sentence: Sentence): void {
    this.release(sentence.id, sentence.reason);
    if (sentence.afterMs <= 0) return;
    this.#entries.set(keyOf(sentence), { sentence, state: { name: 'stopped' } });
    if (this.#linked) this.#wait(keyOf(sentence), sentence.afterMs);
  }

  /** An operator came back or the session is gone: cancels this timer. */
  release(id: string, reason: Reason): void {
    const key = keyOf({ id, reason });
    this.#enter(key, { name: 'stopped' });
    this.#entries.delete(key);
  }

  /** [AG3] Every timer restarts in full. */
  linkOpened(): void {
    this.#linked = true;
    for (const [key, { sentence }] of this.#entries) {
      this.#wait(key, Math.max(sentence.afterMs, NEW_LINK_GRACE_MS));
    }
  }

  /** [AG3] Timers stop, and answers to questions of this link no longer count. */
  linkLost(): void {
    this.#linked = false;
    for (const key of this.#entries.keys()) this.#enter(key, { name: 'stopped' });
  }

  /** [AG4] The relay answered: ends what the question was about, if it is still due. */
  answered(question: string): void {
    for (const [key, { sentence, state }] of this.#entries) {
      if (state.name !== 'asking' || state.question !== question) continue;
      if (this.#postponed(key, sentence)) continue;
      this.#entries.delete(key);
      this.#options.end(sentence.id, sentence.reason);
    }
  }

  #wait(key: string, ms: number): void {
    this.#enter(key, { name: 'waiting', cancel: this.#options.clock.after(ms, () => this.#timeIsUp(key)) });
  }

  #timeIsUp(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined || this.#postponed(key, entry.sentence)) return;
    const question = `${++this.#questions}`;
    this.#enter(key, { name: 'asking', question });
    this.#options.ask(question);
  }

  #postponed(key: string, sentence: Sentence): boolean {
    const left = sentence.remainingMs?.() ?? 0;
    if (left > 0) this.#wait(key, left);
    return left > 0;
  }

  /** The only place that changes the state, so leaving `waiting` always stops its timer. */
  #enter(key: string, next: State): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    if (entry.state.name === 'waiting') entry.state.cancel();
    entry.state = next;
  }
}

function keyOf({ id, reason }: Pick<Sentence, 'id' | 'reason'>): string {
  return `${reason} ${id}`;
}

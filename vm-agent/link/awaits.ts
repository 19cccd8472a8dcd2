/**
 * Requests that wait until a command has ended, or until a session wants attention. They are looked at when something
 * happens in their session, so waiting costs nothing but a timer. Rule AS5.
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';
import { Refusal } from '../../protocol/errors.ts';
import { AWAITS_PER_CLIENT_MAX } from '../../protocol/limits.ts';
import type { ClientMessageOf } from '../../protocol/messages/client-message.ts';
import type { ServerMessageOf } from '../../protocol/messages/server-message.ts';
import type { Session } from '../session/session.ts';

type Question = ClientMessageOf<'await_session'>;
type Answer = ServerMessageOf<'session_awaited'>;

interface Await {
  readonly channel: number;
  readonly session: Session;
  readonly question: Question;
  /** Output before this offset does not count. */
  readonly since: number;
  readonly cancel: Cancel;
}

interface AwaitsOptions {
  readonly clock: Clock;
  readonly answer: (channel: number, answer: Answer) => void;
  readonly refuse: (channel: number, question: Question, refusal: Refusal) => void;
}

export class Awaits {
  readonly #options: AwaitsOptions;
  readonly #waiting = new Set<Await>();

  constructor(options: AwaitsOptions) {
    this.#options = options;
  }

  /** Throws `slow_down` if the client waits too often, and `session_exited` if there is nothing to wait for. */
  begin(channel: number, session: Session, question: Question): void {
    const since = question.since ?? (question.for === 'command' ? session.end : 0);
    const found = happened(session, question.for, since);
    if (found !== null || question.waitMs === 0) return this.#answer(channel, session, question, found ?? {});
    if (session.exit !== null) throw exited();
    if (this.countOf(channel) >= AWAITS_PER_CLIENT_MAX)
      throw new Refusal(
        'slow_down',
        `A client waits for at most ${AWAITS_PER_CLIENT_MAX} things at the same time.`,
      );
    const waiting: Await = {
      channel,
      session,
      question,
      since,
      cancel: this.#options.clock.after(question.waitMs, () => {
        this.#waiting.delete(waiting);
        this.#answer(channel, session, question, {});
      }),
    };
    this.#waiting.add(waiting);
  }

  countOf(channel: number): number {
    return this.#of((waiting) => waiting.channel === channel).length;
  }

  /** A command has ended, or attention has changed. */
  look(session: Session): void {
    for (const waiting of this.#of((other) => other.session === session)) {
      const found = happened(session, waiting.question.for, waiting.since);
      if (found === null) continue;
      this.#forget(waiting);
      this.#answer(waiting.channel, session, waiting.question, found);
    }
  }

  /** The program has ended, or the session is gone: nothing more happens. */
  over(session: Session, refusal = exited()): void {
    for (const waiting of this.#of((other) => other.session === session)) {
      this.#forget(waiting);
      this.#options.refuse(waiting.channel, waiting.question, refusal);
    }
  }

  clientDropped(channel: number): void {
    for (const waiting of this.#of((other) => other.channel === channel)) this.#forget(waiting);
  }

  /** The link is new: clients of the previous one ask again. */
  linkOpened(): void {
    for (const waiting of this.#of(() => true)) this.#forget(waiting);
  }

  #of(isMeant: (waiting: Await) => boolean): Await[] {
    return [...this.#waiting].filter(isMeant);
  }

  #forget(waiting: Await): void {
    waiting.cancel();
    this.#waiting.delete(waiting);
  }

  #answer(channel: number, session: Session, { request }: Question, found: Found): void {
    const of = { request, session: session.identity.id, offset: session.end };
    this.#options.answer(channel, { type: 'session_awaited', ...of, ...found });
  }
}

type Found = Pick<Answer, 'command' | 'attention'>;

function happened(session: Session, what: Question['for'], since: number): Found | null {
  if (what === 'command') {
    const command = session.commands.firstEndedSince(since);
    return command === undefined ? null : { command };
  }
  const { attention } = session.notices.described;
  return attention === undefined || attention.offset < since ? null : { attention };
}

function exited(): Refusal {
  return new Refusal('session_exited', 'The program of this session has ended.');
}

/**
 * Takes snapshots for clients that need not be attached (`take_snapshot`). Only one snapshot per session, format and
 * scope is taken at a time, and one command is drawn at a time in all sessions together. All requests made meanwhile
 * share the next one. That one starts only after a pause as long as the last one took, so that endless requests use at
 * most half of the screen thread's time. Snapshots in flight count like other output, and a snapshot without room is
 * refused. Rules OU9, OU16, OU21.
 */

import type { Clock } from '../../protocol/clock.ts';
import { Refusal } from '../../protocol/errors.ts';
import { SNAPSHOT_INFLATED_MAX_BYTES, SNAPSHOTS_WAITING_MAX } from '../../protocol/limits.ts';
import type { ClientMessageOf } from '../../protocol/messages/client-message.ts';
import type { CreditWindow } from '../output/credit-window.ts';
import type { WindowOwner } from '../output/credit-windows.ts';
import type { Snapshot } from '../screen/snapshot.ts';
import type { Session } from '../session/session.ts';

/** The longest pause. A snapshot that took longer had queued behind others, and clients wait for the next one. */
export const PICTURE_REST_MAX_MS = 1000;

/** How long to pause after a snapshot that took `tookMs`, before the next of its kind. */
export function restAfter(tookMs: number): number {
  return Math.min(tookMs, PICTURE_REST_MAX_MS);
}

type Question = ClientMessageOf<'take_snapshot'>;

export interface Picture extends Snapshot {
  /** Of a command's output: bytes at its beginning that are left out. */
  readonly lost?: number;
}

type TakenPicture = Picture | 'too large' | Refusal | undefined;

interface PictureParts {
  readonly clock: Clock;
  readonly windowOf: (owner: WindowOwner) => CreditWindow;
  /** Sends a snapshot to the client that requested it. */
  readonly send: (session: Session, channel: number, question: Question, picture: Picture) => void;
  /** The one place that turns a refusal into an answer. */
  readonly answering: (channel: number, question: Question, act: () => void) => void;
}

/** A client, and how many snapshots it waits for. */
interface Sitter extends WindowOwner {
  waiting: number;
}

interface Waiting {
  readonly sitter: Sitter;
  readonly question: Question;
}

export class Pictures {
  readonly #parts: PictureParts;
  readonly #sitters = new Map<number, Sitter>();
  /** The kinds of snapshot being taken or in their pause, each with the requests that wait for the next one. */
  readonly #next = new Map<Session, Map<string, Waiting[]>>();
  /** Resolves when the last command that is to be drawn is: each takes a terminal of its own, with a long history. */
  #drawn: Promise<unknown> = Promise.resolve();

  constructor(parts: PictureParts) {
    this.#parts = parts;
  }

  /**
   * The snapshot includes everything printed before the request. Throws `slow_down` if the client waits for too many.
   */
  take(session: Session, owner: WindowOwner, question: Question): void {
    const sitter = this.#sitterOf(owner);
    if (sitter.waiting >= SNAPSHOTS_WAITING_MAX) {
      throw new Refusal(
        'slow_down',
        `This client is already waiting for ${SNAPSHOTS_WAITING_MAX} snapshots. Try again when one has arrived.`,
      );
    }
    sitter.waiting++;
    const kinds = this.#next.get(session) ?? new Map<string, Waiting[]>();
    this.#next.set(session, kinds);
    const kind = question.command === undefined ? kindOf(question) : 'commands';
    const next = kinds.get(kind);
    if (next !== undefined) return void next.push({ sitter, question });
    this.#begin(session, kind, [{ sitter, question }]);
  }

  /** The client is gone: its snapshots are not sent. */
  forget(channel: number): void {
    this.#sitters.delete(channel);
  }

  /** The link is new: nobody waits for the requests of the previous one. */
  clear(): void {
    this.#sitters.clear();
  }

  #begin(session: Session, kind: string, waiting: readonly Waiting[]): void {
    const [first] = waiting;
    const kinds = this.#next.get(session);
    if (first === undefined || kinds === undefined) return;
    const wanted = kindOf(first.question);
    // Of the outputs of commands, one is drawn at a time.
    const [served, later] = [true, false].map((isServed) =>
      waiting.filter(({ question }) => (kindOf(question) === wanted) === isServed),
    ) as [Waiting[], Waiting[]];
    kinds.set(kind, later);
    const { clock } = this.#parts;
    const begunAt = clock.now();
    void this.#taking(session, first.question, served).then((taken) => {
      for (const each of served) this.#deliver(session, each, taken);
      const restMs = restAfter(clock.now() - begunAt);
      if (restMs === 0) this.#goOn(session, kind);
      else clock.after(restMs, () => this.#goOn(session, kind));
    });
  }

  #taking(session: Session, question: Question, served: readonly Waiting[]): Promise<TakenPicture> {
    const { command, format, scope = 'all' } = question;
    if (command === undefined) return session.snapshot({ format, scope, atLeast: session.end });
    const isWanted = () => served.some(({ sitter }) => this.#sitters.get(sitter.channel) === sitter);
    const drawn = this.#drawn.then(() => (isWanted() ? drawing(session, command, format) : undefined));
    this.#drawn = drawn.catch(() => {});
    return drawn;
  }

  #goOn(session: Session, kind: string): void {
    const kinds = this.#next.get(session);
    const next = kinds?.get(kind) ?? [];
    kinds?.delete(kind);
    if (next.length > 0) this.#begin(session, kind, next);
    else if (kinds?.size === 0) this.#next.delete(session);
  }

  #deliver(session: Session, { sitter, question }: Waiting, taken: TakenPicture): void {
    const { channel } = sitter;
    if (this.#sitters.get(channel) !== sitter) return;
    sitter.waiting--;
    this.#parts.answering(channel, question, () => {
      if (taken === undefined) throw new Refusal('session_missing', 'This session does not exist any more.');
      if (taken === 'too large') throw screenTooLarge();
      if (taken instanceof Refusal) throw taken;
      const window = this.#parts.windowOf(sitter);
      const bytes = taken.deflated.length;
      const now = this.#parts.clock.now();
      if (!window.admits(bytes, now)) {
        throw new Refusal(
          'slow_down',
          'Too much was sent to this client that it has not read. Try again when it has.',
        );
      }
      window.replaying(bytes, now);
      this.#parts.send(session, channel, question, taken);
      window.sentSnapshot(bytes, { handle: session.identity.handle, offset: taken.offset });
    });
  }

  #sitterOf({ channel, role }: WindowOwner): Sitter {
    const known = this.#sitters.get(channel);
    if (known !== undefined) return known;
    const sitter: Sitter = { channel, role, waiting: 0 };
    this.#sitters.set(channel, sitter);
    return sitter;
  }
}

/** Requests of one kind share a snapshot. */
function kindOf({ format, scope, command }: Question): string {
  return `${format} ${scope ?? 'all'} ${command ?? ''}`;
}

function drawing(session: Session, command: number, format: Question['format']): Promise<TakenPicture> {
  return session.drawCommand(command, format).then(
    ({ taken, lost }) => (taken === undefined || taken === 'too large' ? taken : { ...taken, lost }),
    (error: unknown) => {
      if (error instanceof Refusal) return error;
      throw error;
    },
  );
}

const screenTooLarge = () =>
  new Refusal(
    'bad_request',
    `This screen has over ${SNAPSHOT_INFLATED_MAX_BYTES} bytes in this format. Ask for text, or make the window smaller.`,
  );

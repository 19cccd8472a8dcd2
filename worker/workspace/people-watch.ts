/**
 * Notes who watches which session, in the attachments of their sockets, and tells clients that have asked. What changes
 * within a second is told together, and what has changed back by then is not told. Rules PP1 to PP5.
 */
import {
  PEOPLE_TOLD_AFTER_MS,
  PEOPLE_TOLD_MAX_SESSIONS,
  WATCHED_REMEMBERED_MAX,
} from '../../protocol/limits.ts';
import type { Person } from '../../protocol/messages/people.ts';
import type { ClientPeer } from '../peers/peer.ts';
import { type Audience, mayKnowPeople, peopleOf, toldTo, type Watcher, watchersOf } from '../peers/people.ts';
import type { Switchboard } from '../peers/switchboard.ts';
import type { Time } from '../platform/time.ts';
import type { Outbox } from './outbox.ts';

/** The cost for a token of each session that it is told of when it begins to ask, in the units of a turn. */
const TOLD_COST = 2;

/** What is told while nobody watches, and what may have been told before the object was evicted. */
const NOBODY = '[]';
const UNSURE = '';

type Watchers = ReturnType<typeof watchersOf>;

interface PeopleWatchParts {
  readonly board: Switchboard<WebSocket>;
  readonly outbox: Pick<Outbox, 'tellText'>;
  readonly time: Pick<Time, 'now'>;
  readonly isKnown: (session: string) => boolean;
  readonly remember: (changed: { readonly socket: WebSocket; readonly peer: ClientPeer } | null) => void;
  readonly chargeToken: (socket: WebSocket, cost: number, now: number) => void;
}

export class PeopleWatch {
  readonly #parts: PeopleWatchParts;
  /** Sessions whose people may have changed, oldest first. */
  readonly #changed = new Set<string>();
  /** Who was told last to watch a session; absent for nobody. */
  readonly #told = new Map<string, string>();
  /** When the changes are to be told; infinity without any. */
  #dueAt = Number.POSITIVE_INFINITY;
  #plan: (at: number) => void = () => {};

  constructor(parts: PeopleWatchParts) {
    this.#parts = parts;
  }

  /** Calls `plan` with a time at which `settle` must be called. There is one listener. */
  onDue(plan: (at: number) => void): void {
    this.#plan = plan;
  }

  /** Tells what is due. Called at the beginning of every event, and nearly always a single comparison. */
  settle(now: number): void {
    if (now < this.#dueAt) return;
    this.#dueAt = Number.POSITIVE_INFINITY;
    const watchers = this.#watchers();
    for (const session of [...this.#changed].slice(0, PEOPLE_TOLD_MAX_SESSIONS))
      this.#tellAll(watchers, session);
    this.#later();
  }

  /** A client that says so is told of people from now on. */
  asks({ channel, isToldPeople }: ClientPeer, asks: boolean): void {
    if (asks && isToldPeople !== true) this.#begin(channel);
  }

  /** A client shows a session. */
  shown({ channel }: ClientPeer, session: string): void {
    if (this.#parts.isKnown(session)) this.#note(channel, 'watching', session, true);
  }

  /** A client has hidden or left a session. */
  hidden({ channel }: ClientPeer, session: string): void {
    this.#note(channel, 'watching', session, false);
  }

  /** The agent says whether this client's window decides the size. */
  drives(channel: number, session: string, isDriving: boolean): void {
    if (!isDriving || this.#parts.isKnown(session)) this.#note(channel, 'drives', session, isDriving);
  }

  /** The connection of a client has ended. */
  left({ watching = [] }: ClientPeer): void {
    for (const session of watching) this.#mayHaveChanged(session);
  }

  /** The socket was open before the object was evicted: its people may be other than was told. */
  restored({ watching = [] }: ClientPeer): void {
    for (const session of watching) this.#told.set(session, UNSURE);
  }

  /** The field of a session that says who watches it: none if nobody does, or if this may not be known. */
  in(session: string, audience: Audience): { readonly people?: Person[] } {
    return this.#fieldOf(this.#watchers(), session, audience);
  }

  /** The same as JSON, for lists. */
  fieldFor(audience: Audience): (session: string) => string {
    const watchers = this.#watchers();
    return (session) => JSON.stringify(this.#fieldOf(watchers, session, audience)).slice(1, -1);
  }

  #fieldOf(watchers: Watchers, session: string, audience: Audience): { readonly people?: Person[] } {
    const here = watchers.get(session);
    if (here === undefined || !mayKnowPeople(audience, session)) return {};
    return { people: toldTo(audience, peopleOf(here, session)) };
  }

  #note(channel: number, what: 'watching' | 'drives', session: string, isSo: boolean): void {
    const { board, remember } = this.#parts;
    const known = board.clientPeer(channel)?.[what] ?? [];
    if (known.includes(session) === isSo) return;
    const others = known.filter((other) => other !== session);
    const next = isSo ? [...others, session].slice(-WATCHED_REMEMBERED_MAX) : others;
    remember(board.describeClient(channel, { [what]: next }));
    this.#mayHaveChanged(session);
  }

  /** From now on it is told of changes; what has not changed it is told at once. */
  #begin(channel: number): void {
    const { board, chargeToken, remember, time } = this.#parts;
    const changed = board.describeClient(channel, { isToldPeople: true });
    remember(changed);
    if (changed === null) return;
    const { socket, peer } = changed;
    for (const [session, watchers] of this.#watchers()) {
      if (!mayKnowPeople(peer, session) || board.peerOf(socket) === undefined) continue;
      chargeToken(socket, TOLD_COST, time.now());
      this.#tell(socket, peer, session, peopleOf(watchers, session));
      // It knows more than the others, if something has changed just now.
      this.#told.set(session, UNSURE);
    }
  }

  #mayHaveChanged(session: string): void {
    this.#changed.add(session);
    this.#later();
  }

  /** By the alarm, because a timer of the object would keep its pauses from ending. [RL17] */
  #later(): void {
    if (this.#dueAt !== Number.POSITIVE_INFINITY || this.#changed.size === 0) return;
    if (!this.#clients().some(({ isToldPeople }) => isToldPeople)) {
      this.#told.clear();
      return this.#changed.clear();
    }
    this.#dueAt = this.#parts.time.now() + PEOPLE_TOLD_AFTER_MS;
    this.#plan(this.#dueAt);
  }

  #tellAll(watchers: Watchers, session: string): void {
    this.#changed.delete(session);
    const people = peopleOf(watchers.get(session) ?? [], session);
    const now = JSON.stringify(people);
    if (now === (this.#told.get(session) ?? NOBODY)) return;
    if (now === NOBODY) this.#told.delete(session);
    else this.#told.set(session, now);
    for (const { socket, peer } of this.#parts.board.clients())
      if (peer.isToldPeople === true && mayKnowPeople(peer, session))
        this.#tell(socket, peer, session, people);
  }

  #tell(socket: WebSocket, peer: ClientPeer, session: string, people: readonly Watcher[]): void {
    const message = { type: 'session_people', session, people: toldTo(peer, people) };
    this.#parts.outbox.tellText(socket, JSON.stringify(message));
  }

  #clients(): ClientPeer[] {
    return this.#parts.board.clients().map(({ peer }) => peer);
  }

  #watchers(): Watchers {
    return watchersOf(this.#clients());
  }
}

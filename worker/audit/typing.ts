/**
 * Tracks who types in which session, from the input frames that pass through. It runs for every keystroke: one lookup
 * and two comparisons, no storage. Storage is read once after a wake-up, to map a handle to its session. It is written
 * when a client first types in a session, once a minute while it continues, and when another client continues typing.
 * [AU5]
 */
import { displayName } from '../../protocol/audit.ts';
import { SESSIONS_MAX, TYPED_LAST_EVERY_MS, TYPED_NOTE_EVERY_MS } from '../../protocol/limits.ts';
import type { ClientPeer } from '../peers/peer.ts';

export interface TypingMemory {
  sessionWithHandle(handle: number): string | null;
  /** False if the handle means another session, or the session has another handle. */
  learnHandle(session: string, handle: number): boolean;
  /** Null until somebody has attached to the session. */
  handleOf(session: string): number | null;
  typedLast(session: string, name: string, at: number): void;
}

/** A session that receives input. */
interface Line {
  /** Null until an attach has told which session this handle means. */
  readonly session: string | null;
  /** The client that typed last. */
  channel: number;
  name: string;
  at: number;
  /** Until when this client's input needs no further note. */
  notedUntil: number;
  /** The same, for every client that types here. */
  readonly noted: Map<number, number>;
  /** The time of the last input that storage knows of. */
  writtenAt: number;
  isWritten: boolean;
}

export class Typing {
  readonly #memory: TypingMemory;
  /** Called at a client's first input in a session, and at most once a minute after that. */
  readonly #note: (peer: ClientPeer, session: string, now: number) => void;
  readonly #lines = new Map<number, Line>();
  /** When the next change of who typed last may be written; infinity when everything is written. */
  #settleAt = Number.POSITIVE_INFINITY;

  constructor(memory: TypingMemory, note: (peer: ClientPeer, session: string, now: number) => void) {
    this.#memory = memory;
    this.#note = note;
  }

  typed(peer: ClientPeer, handle: number, now: number): void {
    const line = this.#lines.get(handle);
    if (line !== undefined && line.channel === peer.channel && now < line.notedUntil) line.at = now;
    else this.#typedAnew(line ?? this.#open(handle), peer, now);
  }

  /** The agent types for this client. It need not be attached, so its session's handle may be unknown. */
  typedBy(peer: ClientPeer, session: string, now: number): void {
    const handle = this.#memory.handleOf(session);
    if (handle !== null) return this.typed(peer, handle, now);
    this.#note(peer, session, now);
    this.#memory.typedLast(session, displayName(peer.credential), now);
  }

  /** Writes changes that had to wait. Called at the beginning of every event, and nearly always a single comparison. */
  settle(now: number): void {
    if (now < this.#settleAt) return;
    this.#settleAt = Number.POSITIVE_INFINITY;
    for (const line of this.#lines.values()) if (!line.isWritten) this.#settleLine(line, now);
  }

  /** An attach was confirmed, which tells the session of this handle. False if the agent said otherwise before. */
  learn(handle: number, session: string): boolean {
    if (this.#lines.get(handle)?.session === session) return true;
    if (!this.#memory.learnHandle(session, handle)) return false;
    this.#lines.delete(handle);
    return true;
  }

  /** The agent has a new epoch: handles may mean other sessions. */
  forgetHandles(): void {
    this.#lines.clear();
  }

  left(channel: number): void {
    for (const { noted } of this.#lines.values()) noted.delete(channel);
  }

  #typedAnew(line: Line, peer: ClientPeer, now: number): void {
    if (line.session === null) return;
    const isDue = now >= (line.noted.get(peer.channel) ?? 0);
    if (isDue) {
      line.noted.set(peer.channel, now + TYPED_NOTE_EVERY_MS);
      this.#note(peer, line.session, now);
    }
    line.channel = peer.channel;
    line.name = displayName(peer.credential);
    line.at = now;
    line.notedUntil = line.noted.get(peer.channel) ?? 0;
    line.isWritten = false;
    if (isDue) this.#write(line);
    else this.#settleLine(line, now);
  }

  #settleLine(line: Line, now: number): void {
    const dueAt = line.writtenAt + TYPED_LAST_EVERY_MS;
    if (now >= dueAt) this.#write(line);
    else this.#settleAt = Math.min(this.#settleAt, dueAt);
  }

  #write(line: Line): void {
    if (line.session !== null) this.#memory.typedLast(line.session, line.name, line.at);
    line.writtenAt = line.at;
    line.isWritten = true;
  }

  /** Clients choose the handles in their frames, so there may be any number of wrong ones. The map is bounded. */
  #open(handle: number): Line {
    if (this.#lines.size >= SESSIONS_MAX) this.#lines.clear();
    const session = this.#memory.sessionWithHandle(handle);
    const nobody = { channel: 0, name: '', at: 0, notedUntil: 0, writtenAt: 0, isWritten: true };
    const line: Line = { session, noted: new Map(), ...nobody };
    this.#lines.set(handle, line);
    return line;
  }
}

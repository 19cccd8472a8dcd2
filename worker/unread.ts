/**
 * How much each connection was sent and has not shown to have read. A socket takes whatever it is given and does not
 * say what was read, and acknowledgements are the peer's own word: one that reads on another connection can
 * acknowledge on this one. So the relay itself asks, in the stream, for a mark to be sent back that nobody can guess.
 * Rule RL25.
 *
 * Closing a socket frees nothing: the runtime sends what waits, then waits for an answer to its goodbye, and whoever does not
 * read gives none. So what was closed counts until its end has come. Rule RL26.
 *
 * Pure: it knows sockets only as things to tell apart.
 */
import {
  CLOSING_MAX,
  CLOSING_MAX_BYTES,
  READ_CHECK_EVERY_BYTES,
  TOKEN_CLOSING_MAX,
  TOKEN_CLOSING_MAX_BYTES,
  TOKEN_UNREAD_MAX_BYTES,
  UNREAD_MAX_BYTES,
} from '../protocol/limits.ts';
import { type Owner, ownerKey } from './owner.ts';

interface Reader {
  readonly owner: Owner;
  /** Sent since the last mark that came back. */
  unread: number;
  /** … of which after the mark that is awaited. */
  sinceMark: number;
  mark: string | null;
}

interface Closing {
  readonly owner: Owner;
  readonly bytes: number;
}

/** As long as nothing is closing, nobody has to go with less. */
const SMALLEST_LIMIT = Math.min(UNREAD_MAX_BYTES, ...Object.values(TOKEN_UNREAD_MAX_BYTES));

/** What is left to a token, and to all, however much their closed connections hold: whoever reads is not disturbed. */
const TOKEN_LEFT_BYTES = READ_CHECK_EVERY_BYTES;
const ALL_LEFT_BYTES = UNREAD_MAX_BYTES / 2;

export class Unread<S> {
  readonly #readers = new Map<S, Reader>();
  readonly #closing = new Map<S, Closing>();
  /** Of the open ones, beyond what each may have without being asked. */
  #excess = 0;
  #closingBytes = 0;

  get excessBytes(): number {
    return this.#excess;
  }

  get closingBytes(): number {
    return this.#closingBytes;
  }

  // ── Connections that are open ────────────────────────────────────────────────────────────────────

  opened(socket: S, owner: Owner): void {
    this.#readers.set(socket, { owner, unread: 0, sinceMark: 0, mark: null });
  }

  /** Whether it is time to ask. */
  sent(socket: S, bytes: number): boolean {
    const reader = this.#readers.get(socket);
    if (reader === undefined) return false;
    this.#change(reader, reader.unread + bytes);
    reader.sinceMark += bytes;
    return reader.mark === null && reader.unread >= READ_CHECK_EVERY_BYTES;
  }

  asked(socket: S, mark: string): void {
    const reader = this.#readers.get(socket);
    if (reader === undefined) return;
    reader.mark = mark;
    reader.sinceMark = 0;
  }

  /** A mark came back; one that was not awaited proves nothing. */
  read(socket: S, mark: string): void {
    const reader = this.#readers.get(socket);
    if (reader === undefined || reader.mark !== mark) return;
    reader.mark = null;
    this.#change(reader, reader.sinceMark);
  }

  /** Who has to go: of the token that holds too much, or most of too much, the connection that has read least. */
  get overdue(): S | null {
    if (this.#excess <= (this.#closing.size === 0 ? SMALLEST_LIMIT : TOKEN_LEFT_BYTES)) return null;
    const holders = this.#holders();
    const isOverAll = this.#excess > Math.max(UNREAD_MAX_BYTES - this.#closingBytes, ALL_LEFT_BYTES);
    let worst: { readonly socket: S; readonly held: number; readonly unread: number } | null = null;
    for (const [socket, { owner, unread }] of this.#readers) {
      const { open = 0, closing = 0 } = holders.get(ownerKey(owner)) ?? {};
      const limit = Math.max(TOKEN_UNREAD_MAX_BYTES[owner.role] - closing, TOKEN_LEFT_BYTES);
      if (excessOf(unread) === 0 || !(isOverAll || open > limit)) continue;
      const held = open + closing;
      const isWorse = worst === null || held > worst.held || (held === worst.held && unread > worst.unread);
      if (isWorse) worst = { socket, held, unread };
    }
    return worst?.socket ?? null;
  }

  /** What each token's connections hold. */
  #holders(): ReadonlyMap<string, { open: number; closing: number }> {
    const holders = new Map<string, { open: number; closing: number }>();
    const of = (owner: Owner) => {
      const holder = holders.get(ownerKey(owner)) ?? { open: 0, closing: 0 };
      holders.set(ownerKey(owner), holder);
      return holder;
    };
    for (const { owner, unread } of this.#readers.values()) of(owner).open += excessOf(unread);
    for (const { owner, bytes } of this.#closing.values()) of(owner).closing += bytes;
    return holders;
  }

  // ── Connections that were closed ─────────────────────────────────────────────────────────────────

  /** It was closed from here; returns what it has not read, which waits until its end comes. */
  closed(socket: S, owner: Owner): number {
    const bytes = this.#readers.get(socket)?.unread ?? 0;
    this.ended(socket);
    this.stillClosing(socket, owner, bytes);
    return bytes;
  }

  /** It was closed before, and its end has not come. */
  stillClosing(socket: S, owner: Owner, bytes: number): void {
    this.#closing.set(socket, { owner, bytes });
    this.#closingBytes += bytes;
  }

  /** The connection is no more. */
  ended(socket: S): void {
    const reader = this.#readers.get(socket);
    if (reader !== undefined) this.#change(reader, 0);
    this.#closingBytes -= this.#closing.get(socket)?.bytes ?? 0;
    this.#readers.delete(socket);
    this.#closing.delete(socket);
  }

  /** Whether those of this token are too many, or hold too much, to give it another one. */
  isFullFor(owner: Owner): boolean {
    const closing = [...this.#closing.values()].filter((one) => ownerKey(one.owner) === ownerKey(owner));
    const bytes = closing.reduce((sum, one) => sum + one.bytes, 0);
    return closing.length >= TOKEN_CLOSING_MAX || bytes > TOKEN_CLOSING_MAX_BYTES;
  }

  /** Nothing but an end of all connections frees what the closed ones hold, and that is too much. */
  get isTooMuchClosing(): boolean {
    return this.#closing.size > CLOSING_MAX || this.#closingBytes > CLOSING_MAX_BYTES;
  }

  #change(reader: Reader, unread: number): void {
    this.#excess += excessOf(unread) - excessOf(reader.unread);
    reader.unread = unread;
  }
}

const excessOf = (unread: number): number => Math.max(0, unread - READ_CHECK_EVERY_BYTES);

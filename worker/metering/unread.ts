/**
 * Counts the bytes that each connection was sent and has not proven to have read. A socket accepts any amount and does
 * not report what was read. Acknowledgements do not prove it either: a peer that reads on one connection can
 * acknowledge on another. So the relay sends an unguessable mark in the stream, and the peer must send it back. Rule
 * RL25.
 *
 * Closing a socket frees nothing: the runtime first sends what waits, then waits for the peer's close frame, which a
 * peer that does not read never sends. So a closed connection counts until it has ended. Rule RL26.
 *
 * This code does no I/O: to it, sockets are only map keys.
 */
import {
  CLOSING_MAX,
  CLOSING_MAX_BYTES,
  PAYLOAD_MAX_BYTES,
  READ_CHECK_EVERY_BYTES,
  TOKEN_CLOSING_MAX,
  TOKEN_CLOSING_MAX_BYTES,
  TOKEN_UNREAD_MAX_BYTES,
  UNREAD_MAX_BYTES,
  VIEWER_READ_CHECK_EVERY_BYTES,
} from '../../protocol/limits.ts';
import { type Owner, ownerKey } from '../peers/owner.ts';

interface Reader {
  readonly holder: Holder;
  /** Bytes sent since the last mark that was returned. */
  unread: number;
  /** The mark that was sent and not returned yet, and the part of `unread` that was sent after it. */
  pending: { readonly mark: string; sentAfter: number } | null;
}

interface Closing {
  readonly holder: Holder;
  readonly bytes: number;
}

/**
 * What the connections of one token hold, or those of all viewers. Kept as a running sum, because it is needed for
 * every message to everybody.
 */
interface Holder {
  readonly owner: Owner;
  connections: number;
  /** Unread bytes of open connections, beyond what each may have without being asked. */
  excess: number;
  closing: number;
  closingBytes: number;
}

/**
 * What open connections of a token, and of all tokens, may still leave unread when closed connections already hold the
 * limit. Clients that do read are not affected.
 */
const TOKEN_LEFT_BYTES = READ_CHECK_EVERY_BYTES;
const ALL_LEFT_BYTES = UNREAD_MAX_BYTES / 2;

/**
 * When closed connections exceed the limit by this much, open ones may leave only one frame unread. So neither all
 * viewers nor one operator's token can reach CLOSING_MAX_BYTES with closed connections, whatever they are sent before
 * they are closed.
 */
const CLOSING_MUCH_BYTES = 8 * 1024 * 1024;
const LEAST_LEFT_BYTES = PAYLOAD_MAX_BYTES;

export class Unread<S> {
  readonly #readers = new Map<S, Reader>();
  readonly #closing = new Map<S, Closing>();
  readonly #holders = new Map<string, Holder>();
  /** The sum over all viewers, which has the same limit as one viewer's token. */
  readonly #viewers = emptyHolder({ role: 'viewer', tokenId: '' });
  /** Holders whose open connections leave too much unread. */
  readonly #over = new Set<Holder>();
  /** Unread bytes of all open connections, beyond what each may have without being asked. */
  #excess = 0;
  #closingBytes = 0;

  get excessBytes(): number {
    return this.#excess;
  }

  get closingBytes(): number {
    return this.#closingBytes;
  }

  /** Tokens with a connection that is open or closing. */
  get tokens(): number {
    return this.#holders.size;
  }

  // ── Open connections ─────────────────────────────────────────────────────────────────────────────

  opened(socket: S, owner: Owner): void {
    const holder = this.#holderOf(owner);
    holder.connections++;
    this.#readers.set(socket, { holder, unread: 0, pending: null });
  }

  /** Records sent bytes. Returns whether it is time to send a mark. */
  sent(socket: S, bytes: number): boolean {
    const reader = this.#readers.get(socket);
    if (reader === undefined) return false;
    this.#change(reader, reader.unread + bytes);
    if (reader.pending !== null) {
      reader.pending.sentAfter += bytes;
      return false;
    }
    return reader.unread >= checkEvery(reader.holder.owner);
  }

  asked(socket: S, mark: string): void {
    const reader = this.#readers.get(socket);
    if (reader !== undefined) reader.pending = { mark, sentAfter: 0 };
  }

  /** A mark was returned. One that was not pending proves nothing. */
  read(socket: S, mark: string): void {
    const reader = this.#readers.get(socket);
    if (reader === undefined || reader.pending?.mark !== mark) return;
    const { sentAfter } = reader.pending;
    reader.pending = null;
    this.#change(reader, sentAfter);
  }

  /**
   * The connection to close next: among the tokens over their limit, the one that holds the most, and of its
   * connections the one with the most unread bytes. Usually two comparisons; all connections are inspected only when
   * one must be closed.
   */
  get overdue(): S | null {
    const isOverAll = this.#excess > Math.max(UNREAD_MAX_BYTES - this.#closingBytes, ALL_LEFT_BYTES);
    if (!isOverAll && this.#over.size === 0) return null;
    let worst: { readonly socket: S; readonly held: number; readonly unread: number } | null = null;
    for (const [socket, { holder, unread }] of this.#readers) {
      if (unread <= checkEvery(holder.owner) || !(isOverAll || this.#isOver(holder))) continue;
      const held = holder.excess + holder.closingBytes;
      const isWorse = worst === null || held > worst.held || (held === worst.held && unread > worst.unread);
      if (isWorse) worst = { socket, held, unread };
    }
    return worst?.socket ?? null;
  }

  // ── Closed connections ───────────────────────────────────────────────────────────────────────────

  /** The relay closed it. Returns its unread bytes, which stay counted until the connection has ended. */
  closed(socket: S, owner: Owner): number {
    const bytes = this.#readers.get(socket)?.unread ?? 0;
    this.ended(socket);
    this.stillClosing(socket, owner, bytes);
    return bytes;
  }

  /** The relay closed it earlier, and it has not ended yet. */
  stillClosing(socket: S, owner: Owner, bytes: number): void {
    const holder = this.#holderOf(owner);
    holder.closing++;
    this.#closing.set(socket, { holder, bytes });
    this.#changeClosing(holder, bytes);
  }

  /** The connection has ended. */
  ended(socket: S): void {
    const reader = this.#readers.get(socket);
    if (reader !== undefined) {
      this.#change(reader, 0);
      reader.holder.connections--;
      this.#readers.delete(socket);
      this.#forget(reader.holder);
    }
    const closing = this.#closing.get(socket);
    if (closing !== undefined) {
      this.#changeClosing(closing.holder, -closing.bytes);
      closing.holder.closing--;
      this.#closing.delete(socket);
      this.#forget(closing.holder);
    }
  }

  closingOwners(): Iterable<Owner> {
    return Array.from(this.#closing.values(), ({ holder }) => holder.owner);
  }

  /** Whether this token's closed connections are too many, or hold too much, to accept another connection. */
  isFullFor(owner: Owner): boolean {
    const { closing = 0, closingBytes = 0 } = this.#holders.get(ownerKey(owner)) ?? {};
    return closing >= TOKEN_CLOSING_MAX || closingBytes > TOKEN_CLOSING_MAX_BYTES;
  }

  /** Closed connections hold too much. Only ending all connections frees it. */
  get isTooMuchClosing(): boolean {
    return this.#closing.size > CLOSING_MAX || this.#closingBytes > CLOSING_MAX_BYTES;
  }

  #change(reader: Reader, unread: number): void {
    const { holder } = reader;
    const free = checkEvery(holder.owner);
    const more = Math.max(0, unread - free) - Math.max(0, reader.unread - free);
    reader.unread = unread;
    if (more === 0) return;
    this.#excess += more;
    for (const sum of this.#sumsOf(holder)) {
      sum.excess += more;
      this.#judge(sum);
    }
  }

  #changeClosing(holder: Holder, more: number): void {
    this.#closingBytes += more;
    for (const sum of this.#sumsOf(holder)) {
      sum.closingBytes += more;
      this.#judge(sum);
    }
  }

  #sumsOf(holder: Holder): readonly Holder[] {
    return holder.owner.role === 'viewer' ? [holder, this.#viewers] : [holder];
  }

  #judge(holder: Holder): void {
    if (holder.excess > excessLimit(holder)) this.#over.add(holder);
    else this.#over.delete(holder);
  }

  #isOver(holder: Holder): boolean {
    return this.#sumsOf(holder).some((sum) => this.#over.has(sum));
  }

  #holderOf(owner: Owner): Holder {
    const key = ownerKey(owner);
    const holder = this.#holders.get(key) ?? emptyHolder(owner);
    this.#holders.set(key, holder);
    return holder;
  }

  /** Removes unused holders; otherwise one would remain for every token ever seen. */
  #forget({ owner, connections, closing }: Holder): void {
    if (connections + closing === 0) this.#holders.delete(ownerKey(owner));
  }
}

const emptyHolder = (owner: Owner): Holder => ({
  owner,
  connections: 0,
  excess: 0,
  closing: 0,
  closingBytes: 0,
});

/** What a connection may have unread before it is asked. This much is not counted against the other limits. */
const checkEvery = ({ role }: Owner): number =>
  role === 'viewer' ? VIEWER_READ_CHECK_EVERY_BYTES : READ_CHECK_EVERY_BYTES;

function excessLimit({ owner, closingBytes }: Holder): number {
  const most = TOKEN_UNREAD_MAX_BYTES[owner.role];
  if (closingBytes > most + CLOSING_MUCH_BYTES) return LEAST_LEFT_BYTES;
  return Math.max(most - closingBytes, TOKEN_LEFT_BYTES);
}

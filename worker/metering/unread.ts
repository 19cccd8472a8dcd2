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
  /** Sent since the last mark that came back. */
  unread: number;
  /** … of which after the mark that is awaited. */
  sinceMark: number;
  mark: string | null;
}

interface Closing {
  readonly holder: Holder;
  readonly bytes: number;
}

/**
 * What the connections of one token hold, or those of all viewers, as a running sum: this is asked for with every message
 * to everybody.
 */
interface Holder {
  readonly owner: Owner;
  connections: number;
  /** Of the open ones, beyond what each may have without being asked. */
  excess: number;
  closing: number;
  closingBytes: number;
}

/** What is left to a token, and to all, when their closed connections hold as much: whoever reads is not disturbed. */
const TOKEN_LEFT_BYTES = READ_CHECK_EVERY_BYTES;
const ALL_LEFT_BYTES = UNREAD_MAX_BYTES / 2;

/**
 * … and when they hold still more than that: one frame. So neither all viewers nor one operator's token bring their closed
 * connections to CLOSING_MAX_BYTES, with whatever they are sent before they are closed.
 */
const CLOSING_MUCH_BYTES = 8 * 1024 * 1024;
const LEAST_LEFT_BYTES = PAYLOAD_MAX_BYTES;

export class Unread<S> {
  readonly #readers = new Map<S, Reader>();
  readonly #closing = new Map<S, Closing>();
  readonly #holders = new Map<string, Holder>();
  /** All viewers, who together may leave no more than one of them. */
  readonly #viewers = emptyHolder({ role: 'viewer', tokenId: '' });
  /** Those whose open connections leave too much. */
  readonly #over = new Set<Holder>();
  /** Of the open ones, beyond what each may have without being asked. */
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

  // ── Connections that are open ────────────────────────────────────────────────────────────────────

  opened(socket: S, owner: Owner): void {
    const holder = this.#holderOf(owner);
    holder.connections++;
    this.#readers.set(socket, { holder, unread: 0, sinceMark: 0, mark: null });
  }

  /** Whether it is time to ask. */
  sent(socket: S, bytes: number): boolean {
    const reader = this.#readers.get(socket);
    if (reader === undefined) return false;
    this.#change(reader, reader.unread + bytes);
    reader.sinceMark += bytes;
    return reader.mark === null && reader.unread >= checkEvery(reader.holder.owner);
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

  /**
   * Who has to go: of the token that holds too much, or most of too much, the connection that has read least. Nearly
   * always two comparisons; all are looked at only when somebody does go.
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
    const holder = this.#holderOf(owner);
    holder.closing++;
    this.#closing.set(socket, { holder, bytes });
    this.#changeClosing(holder, bytes);
  }

  /** The connection is no more. */
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

  /** Whether those of this token are too many, or hold too much, to give it another one. */
  isFullFor(owner: Owner): boolean {
    const { closing = 0, closingBytes = 0 } = this.#holders.get(ownerKey(owner)) ?? {};
    return closing >= TOKEN_CLOSING_MAX || closingBytes > TOKEN_CLOSING_MAX_BYTES;
  }

  /** Nothing but an end of all connections frees what the closed ones hold, and that is too much. */
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

  /** There is one for every token that ever came. */
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

/** What a connection may have unread before it is asked, and beside all other limits. */
const checkEvery = ({ role }: Owner): number =>
  role === 'viewer' ? VIEWER_READ_CHECK_EVERY_BYTES : READ_CHECK_EVERY_BYTES;

function excessLimit({ owner, closingBytes }: Holder): number {
  const most = TOKEN_UNREAD_MAX_BYTES[owner.role];
  if (closingBytes > most + CLOSING_MUCH_BYTES) return LEAST_LEFT_BYTES;
  return Math.max(most - closingBytes, TOKEN_LEFT_BYTES);
}

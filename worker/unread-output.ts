/**
 * How much output each client was sent and has not shown to have read. A socket takes whatever it is given and does not
 * say what was read, and acknowledgements are the client's own word: one that reads on another connection can
 * acknowledge on this one. So the relay itself asks, in the stream, for a mark to be sent back that nobody can guess.
 * Rule RL25.
 *
 * Pure: it knows sockets only as things to tell apart. After an eviction it starts anew, but an object with output that
 * was not read yet is not evicted.
 */
import { READ_CHECK_EVERY_BYTES, UNREAD_MAX_BYTES } from '../protocol/limits.ts';

interface Reader {
  /** Sent since the last mark that came back. */
  unread: number;
  /** … of which after the mark that is awaited. */
  sinceMark: number;
  mark: string | null;
}

export class UnreadOutput<S> {
  readonly #readers = new Map<S, Reader>();
  #excess = 0;

  /** What all clients together have not read, beyond what each may have without being asked. */
  get excessBytes(): number {
    return this.#excess;
  }

  /** Whether it is time to ask. */
  sent(socket: S, bytes: number): boolean {
    const reader = this.#readerOf(socket);
    this.#change(reader, reader.unread + bytes);
    reader.sinceMark += bytes;
    return reader.mark === null && reader.unread >= READ_CHECK_EVERY_BYTES;
  }

  asked(socket: S, mark: string): void {
    const reader = this.#readerOf(socket);
    reader.mark = mark;
    reader.sinceMark = 0;
  }

  /** A mark came back; one that was not awaited proves nothing. */
  read(socket: S, mark: string): void {
    const reader = this.#readerOf(socket);
    if (reader.mark !== mark) return;
    reader.mark = null;
    this.#change(reader, reader.sinceMark);
  }

  forget(socket: S): void {
    const reader = this.#readers.get(socket);
    if (reader === undefined) return;
    this.#change(reader, 0);
    this.#readers.delete(socket);
  }

  /** Who has read least, when all together have not read more than may wait; null otherwise. */
  get overdue(): S | null {
    if (this.#excess <= UNREAD_MAX_BYTES) return null;
    const [worst] = [...this.#readers].sort(([, a], [, b]) => b.unread - a.unread);
    return worst?.[0] ?? null;
  }

  #change(reader: Reader, unread: number): void {
    this.#excess += excessOf(unread) - excessOf(reader.unread);
    reader.unread = unread;
  }

  #readerOf(socket: S): Reader {
    const known = this.#readers.get(socket);
    if (known !== undefined) return known;
    const reader = { unread: 0, sinceMark: 0, mark: null };
    this.#readers.set(socket, reader);
    return reader;
  }
}

const excessOf = (unread: number): number => Math.max(0, unread - READ_CHECK_EVERY_BYTES);

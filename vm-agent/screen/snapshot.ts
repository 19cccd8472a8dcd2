/** Snapshots of a screen: the request, the result, and the requests that are pending. */
import type { Size } from '../../protocol/frame.ts';
import type { OutputQueue } from './output-queue.ts';
import type { Scope } from './serializer/ansi.ts';
import type { CursorCell, Format } from './serializer/terminal-text.ts';
import type { ThreadLink } from './thread-link.ts';
import type { QueuedPiece, Sleeping, SnapshotMessage, SnapshotReply } from './thread-messages.ts';

export interface SnapshotRequest {
  readonly format: Format;
  readonly scope: Scope;
  /**
   * Wait until output up to this offset is part of the state. By default `ansi` does not wait, others wait for all
   * output.
   */
  readonly atLeast?: number;
  /**
   * Without the output since, for whoever has that already. In a flood that would be a copy of the whole queue. Nobody
   * waits to see it, so a burst stays held.
   */
  readonly alone?: boolean;
}

/** A screen as it was at `offset`, and the output since. */
export interface Snapshot {
  readonly offset: number;
  readonly size: Size;
  readonly title: string;
  readonly cwd: string | null;
  /** Raw deflate of UTF-8. For `ansi`: to be written to a fresh terminal of this size. */
  readonly deflated: Uint8Array;
  /** Its inflated length. */
  readonly bytes: number;
  /** Lines of history that are not in it. */
  readonly linesAbove: number;
  /** Unknown of a screen that is asleep. */
  readonly cursor?: CursorCell;
  /** Output and resizes in [offset, end), which complete an `ansi` snapshot; other formats, and one alone, have none. */
  readonly replay: readonly QueuedPiece[];
  readonly end: number;
}

/** The result of a request. Undefined if the screen was closed, or lost with its thread, before it could be made. */
export type Taken = Snapshot | 'too large' | undefined;

/** The queued output completes a snapshot that the thread has taken: the terminal continued while it was written. */
export function takenFrom(reply: SnapshotReply, queue: OutputQueue): Taken {
  const { takenAt: offset, since, size, title, cwd, written, cursor } = reply;
  if (written === null) return 'too large';
  const replay = since === null ? [] : [...since, ...queue.pieces()];
  return { ...complete({ offset, size, title, cwd, ...written }, replay, queue.end), cursor };
}

/** While a screen is asleep, the two usual snapshots are available. */
export function keptAsleep(
  sleeping: Sleeping,
  { format, scope }: SnapshotRequest,
  queue: OutputQueue,
): Snapshot | undefined {
  if (format !== 'ansi' || scope === 'screen') return undefined;
  return complete({ ...sleeping, ...sleeping[scope] }, queue.pieces(), queue.end);
}

function complete(
  taken: Omit<Snapshot, 'replay' | 'end'>,
  replay: readonly QueuedPiece[],
  end: number,
): Snapshot {
  const { offset, size, title, cwd, deflated, bytes, linesAbove } = taken;
  return { offset, size, title, cwd, deflated, bytes, linesAbove, replay, end };
}

/** The message that asks a thread for a snapshot. */
export function askFor(
  screen: number,
  request: number,
  { format, scope, atLeast, alone }: Required<SnapshotRequest>,
): SnapshotMessage {
  return { type: 'snapshot', screen, request, format, scope, atLeast, alone };
}

type Resolve = (taken: Taken) => void;

/** Requested snapshots that are not made yet, by number. */
export class PendingSnapshots {
  readonly #pending = new Map<
    number,
    { readonly request: Required<SnapshotRequest>; readonly resolve: Resolve }
  >();
  #next = 1;

  get size(): number {
    return this.#pending.size;
  }

  add(request: Required<SnapshotRequest>, resolve: Resolve): number {
    const number = this.#next++;
    this.#pending.set(number, { request, resolve });
    return number;
  }

  /** Asks a thread that has the terminal now for all of them. */
  askAgain(thread: Pick<ThreadLink, 'post'>, screen: number): void {
    for (const [number, { request }] of this.#pending) thread.post(askFor(screen, number, request));
  }

  resolve(number: number, taken: Taken): void {
    this.#pending.get(number)?.resolve(taken);
    this.#pending.delete(number);
  }

  /** None of them will be made. */
  refuse(): void {
    for (const { resolve } of this.#pending.values()) resolve(undefined);
    this.#pending.clear();
  }
}

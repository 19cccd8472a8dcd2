/** Chunks are reused while a thread reads others: it never reads bytes that were not printed at that offset. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChunkPool } from '../../../vm-agent/screen/chunk-pool.ts';
import { OutputQueue } from '../../../vm-agent/screen/output-queue.ts';
import type { QueuedPiece } from '../../../vm-agent/screen/thread-messages.ts';
import { checkProperty } from '../../support/property.ts';

/** The byte every session prints at an offset; sessions differ. */
const byteAt = (session: number, offset: number) =>
  (Math.imul(offset * 2 + session, 0x9e3779b1) >>> 11) & 0xff;

/** A session, its queue, and a thread that has views of what it was sent and reads them late. */
class Session {
  readonly #number: number;
  readonly #queue: OutputQueue;
  readonly #sent: QueuedPiece[] = [];
  #read = 0;
  /** What a snapshot was completed with, and must stay as it was. */
  readonly #kept: QueuedPiece[] = [];

  constructor(number: number, chunks: ChunkPool) {
    this.#number = number;
    this.#queue = new OutputQueue(0, { cols: 80, rows: 24 }, chunks);
  }

  prints(length: number): void {
    const from = this.#queue.end;
    const bytes = Uint8Array.from({ length }, (_, at) => byteAt(this.#number, from + at));
    this.#queue.write(from, bytes, 0);
    bytes.fill(0); // the caller's array is reused too
    this.#take();
  }

  /** The thread reads up to `length` bytes; of those it may hold back the last few. */
  parses(length: number, held: number): void {
    const end = Math.min(this.#read + length, this.#queue.end);
    for (const piece of this.#sent) {
      if (piece.kind !== 'output') continue;
      const [from, to] = [
        Math.max(this.#read, piece.offset),
        Math.min(end, piece.offset + piece.bytes.length),
      ];
      if (from < to) this.#read = this.#check(piece, from, to);
    }
    const behind = Math.min(held, this.#read - this.#queue.start);
    this.#queue.parsed({ offset: this.#read - behind, resizes: 0, held: behind });
    this.#take();
  }

  snapshot(): void {
    this.#kept.push(...this.#queue.pieces());
  }

  threadDies(): void {
    this.#sent.length = 0;
    this.#read = this.#queue.start;
    this.#queue.rewind();
    this.#take();
  }

  checkKept(): void {
    for (const piece of this.#kept)
      if (piece.kind === 'output') this.#check(piece, piece.offset, piece.offset + piece.bytes.length);
  }

  #take(): void {
    // As a message would carry it: the same memory, a separate view.
    for (const piece of this.#queue.take()) this.#sent.push({ ...piece });
  }

  #check(piece: QueuedPiece & { kind: 'output' }, from: number, to: number): number {
    for (let offset = from; offset < to; offset++) {
      const found = piece.bytes[offset - piece.offset];
      if (found !== byteAt(this.#number, offset)) expect.fail(`another byte at ${offset}`);
    }
    return to;
  }
}

const session = fc.nat(1);
const step = fc.oneof(
  fc.record({ kind: fc.constant('prints'), session, length: fc.nat(200_000) }),
  fc.record({ kind: fc.constant('prints'), session, length: fc.nat(5_000) }),
  fc.record({ kind: fc.constant('parses'), session, length: fc.nat(300_000), held: fc.nat(3) }),
  fc.record({ kind: fc.constant('snapshot'), session }),
  fc.record({ kind: fc.constant('threadDies'), session }),
) as fc.Arbitrary<{ kind: string; session: number; length: number; held: number }>;

describe('the queue', () => {
  it('[R1] passes printed output to the thread, however chunks are reused', () => {
    checkProperty(
      'screen-output-queue',
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const chunks = new ChunkPool();
        const sessions = [new Session(0, chunks), new Session(1, chunks)];
        for (const { kind, session: number, length, held } of steps) {
          const one = sessions[number];
          if (kind === 'prints') one?.prints(length);
          else if (kind === 'parses') one?.parses(length, held);
          else if (kind === 'snapshot') one?.snapshot();
          else one?.threadDies();
        }
        for (const one of sessions) one.parses(Number.MAX_SAFE_INTEGER, 0);
        for (const one of sessions) one.prints(200_000); // to where earlier output was
        for (const one of sessions) one.checkKept();
      }),
      { numRuns: 100 },
    );
  });
});

it('[R7] accepts any number of resizes', () => {
  const queue = new OutputQueue(0, { cols: 80, rows: 24 });
  const resizes = 200_000;
  for (let at = 0; at < resizes; at++) queue.resize({ cols: 80, rows: 24 + (at % 2) });
  expect(queue.take()).toHaveLength(resizes);
  queue.parsed({ offset: 0, resizes: 1, held: 0 });
  queue.rewind();
  expect(queue.take()).toHaveLength(resizes - 1);
});

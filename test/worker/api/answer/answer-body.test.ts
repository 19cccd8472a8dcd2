/** Answers that are produced as they are read: however they end, they release what they held. */

import type { Context } from 'hono';
import { describe, expect, it } from 'vitest';
import { READER_STALLED_MS, VIEWER_SEARCHES_MAX } from '../../../../protocol/limits.ts';
import { answerBody } from '../../../../worker/api/answer/answer-body.ts';
import { openAccount } from '../../../../worker/api/answer/held-answer.ts';
import { answerBudget } from '../../../../worker/api/link/answer-budget.ts';
import { onGivenUp } from '../../../../worker/api/link/object-socket.ts';
import { searchSeats } from '../../../../worker/api/search/search-seats.ts';
import type { App } from '../../../../worker/http/http.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

function answer(pieces: readonly string[]) {
  const clock = new FakeClock();
  const left: number[] = [];
  const waiting = pieces.map((piece) => new TextEncoder().encode(piece));
  const source = { next: () => waiting.shift(), left: () => void left.push(clock.now()) };
  return { clock, left, reader: answerBody(source, clock).getReader() };
}

describe('an answer', () => {
  it('[X7] that is read to its end is released then', async () => {
    const { clock, left, reader } = answer(['a', 'b']);
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('a');
    await reader.read();
    expect(left).toEqual([]);
    expect((await reader.read()).done).toBe(true);
    expect([left, clock.pending]).toEqual([[0], 0]);
  });

  it('[X7] that is cancelled is released at once', async () => {
    const { clock, left, reader } = answer(['a', 'b']);
    await reader.read();
    await reader.cancel();
    expect([left, clock.pending]).toEqual([[0], 0]);
  });

  it('[X7] that nobody reads is released in the end, and not before', async () => {
    const { clock, left, reader } = answer(['a']);
    clock.advance(READER_STALLED_MS - 1);
    expect(left).toEqual([]);
    clock.advance(1);
    expect(left).toEqual([READER_STALLED_MS]);
    await expect(reader.read()).rejects.toThrow('the reader has stalled');
  });

  it('[X7] whose reader stops in the middle is released that long after the last part', async () => {
    const { clock, left, reader } = answer(['a', 'b', 'c']);
    await reader.read();
    clock.advance(READER_STALLED_MS - 1);
    await reader.read();
    clock.advance(READER_STALLED_MS - 1);
    expect(left).toEqual([]);
    clock.advance(1);
    expect(left).toHaveLength(1);
  });
});

describe('a long answer', () => {
  const PIECE = 'x'.repeat(64 * 1024);
  /** Lets pending promise callbacks run. */
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

  it('[SEC21] lets others have their turn after each half mebibyte, however fast its reader is', async () => {
    const { clock, reader } = answer(new Array(32).fill(PIECE));
    let taken = 0;
    const read = (async () => {
      while (!(await reader.read()).done) taken++;
    })();
    for (let turn = 1; turn <= 4; turn++) {
      await settle();
      expect(taken).toBe(8 * turn);
      clock.advance(0);
    }
    await read;
    expect([taken, clock.pending]).toEqual([32, 0]);
  });

  it('[SEC21] [X7] is left when it is cancelled while others have their turn', async () => {
    const { clock, left, reader } = answer(new Array(32).fill(PIECE));
    for (let taken = 0; taken < 8; taken++) await reader.read();
    const next = reader.read();
    await settle();
    await reader.cancel();
    expect((await next).done).toBe(true);
    clock.advance(0);
    await settle();
    expect([left.length, clock.pending]).toEqual([1, 0]);
  });
});

describe('an abandoned request', () => {
  const contextOf = (signal: AbortSignal) => ({ req: { raw: { signal } } }) as unknown as Context<App>;

  it('[X7] is detected at once before anything was opened for it', () => {
    const noticed: string[] = [];
    onGivenUp(contextOf(AbortSignal.abort()), () => noticed.push('given up'));
    expect(noticed).toEqual(['given up']);
  });

  it('[X7] is detected later too, unless nobody needs it any more', () => {
    const noticed: string[] = [];
    const sender = new AbortController();
    onGivenUp(contextOf(sender.signal), () => noticed.push('first'));
    onGivenUp(contextOf(sender.signal), () => noticed.push('second'))();
    sender.abort();
    expect(noticed).toEqual(['first']);
  });

  it('[X2] [X3] releases its place among the searches, and the memory of its answer', () => {
    const sender = new AbortController();
    const caller = { role: 'viewer', credential: { tokenId: 't' } } as const;
    const principal = { workspace: 'given up', caller };
    const c = { req: { raw: { signal: sender.signal } }, var: { principal } } as unknown as Context<App>;
    for (let i = 0; i < VIEWER_SEARCHES_MAX; i++) searchSeats.enterFor(c);
    const before = answerBudget.heldBytes;
    openAccount(c).hold(1000);
    const owner = { role: 'viewer', tokenId: 't' } as const;
    expect(() => searchSeats.enter('given up', owner)).toThrow(/already has/);
    sender.abort();
    expect(answerBudget.heldBytes).toBe(before);
    expect(() => searchSeats.enter('given up', owner)).not.toThrow();
  });
});

/** How much of a request's body is read, and how fast. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { BODIES_PER_S_MAX_BYTES, BODY_PIECE_MIN_BYTES } from '../../../protocol/limits.ts';
import { drainBody, readBody } from '../../../worker/http/body.ts';

const MIB = 1024 * 1024;

/** A request whose body never ends, and how much of it was read. */
function endless() {
  const sent = { bytes: 0 };
  const body = new ReadableStream({
    pull(controller) {
      sent.bytes += 64 * 1024;
      controller.enqueue(new Uint8Array(64 * 1024));
    },
  });
  const request = new Request('http://relay/', { method: 'POST', body, duplex: 'half' } as RequestInit);
  return { request: request as never, sent };
}

/** A request whose body arrives byte by byte, and how many of them were read. */
function byteByByte(headers: Record<string, string> = {}) {
  const sent = { pieces: 0 };
  const body = new ReadableStream({
    pull(controller) {
      sent.pieces++;
      controller.enqueue(new Uint8Array(1));
      if (sent.pieces === 100_000) controller.close();
    },
  });
  const request = new Request('http://relay/', {
    method: 'POST',
    headers,
    body,
    duplex: 'half',
  } as RequestInit);
  return { request: request as never, sent };
}

/** A request whose body arrives in parts, as from a network. */
function long(bytes: number) {
  let left = bytes;
  const body = new ReadableStream({
    pull(controller) {
      left -= 64 * 1024;
      controller.enqueue(new Uint8Array(64 * 1024));
      if (left <= 0) controller.close();
    },
  });
  return new Request('http://relay/', { method: 'POST', body, duplex: 'half' } as RequestInit) as never;
}

describe('a request body', () => {
  it('[SEC21] without a credential is read up to a mebibyte', async () => {
    const { request, sent } = endless();
    await drainBody(request, null);
    expect(sent.bytes).toBeLessThanOrEqual(MIB + 3 * 64 * 1024);
  });

  it('[SEC21] [RL24] with a credential does not wait for those without one', async () => {
    const ended: string[] = [];
    const strangers = Array.from({ length: 3 }, () =>
      drainBody(long(MIB), null).then(() => ended.push('stranger')),
    );
    await readBody(long(4 * MIB), 4 * MIB, 'w').then(() => ended.push('known'));
    expect(ended).toEqual(['known']);
    await Promise.all(strangers);
  });

  it('[SEC21] [RL24] of an unauthenticated client is not read if a quarter of a second of them is waiting', async () => {
    const strangers = Array.from({ length: 40 }, endless);
    await Promise.all(strangers.map(({ request }) => drainBody(request, null)));
    const read = strangers.reduce((sum, { sent }) => sum + sent.bytes, 0);
    expect(read / MIB, 'of 40 and what streams read ahead').toBeLessThan(32);
  });

  it('[SEC21] [RL24] does not wait for many of another workspace', async () => {
    const others = Array.from({ length: 40 }, () => readBody(long(MIB), MIB, 'busy').catch(() => {}));
    await new Promise((resolve) => setTimeout(resolve, 100));
    const ended: string[] = [];
    const late = readBody(long(MIB / 4), MIB, 'busy').then(() => ended.push('busy'));
    await readBody(long(MIB / 4), MIB, 'another').then(() => ended.push('another'));
    expect(ended, 'although the other was first').toEqual(['another']);
    await late;
    await Promise.all(others);
  });

  describe('that arrives byte by byte', () => {
    afterEach(() => void vi.useRealTimers());

    it.each([
      ['of a stranger', null, {}, BODIES_PER_S_MAX_BYTES / 4],
      ['of a workspace', 'w', {}, BODIES_PER_S_MAX_BYTES],
      [
        'of a workspace, and says that it is short',
        'w',
        { 'Content-Length': '4096' },
        BODIES_PER_S_MAX_BYTES,
      ],
    ])('[SEC21] [RL24] %s counts for as much as its pieces cost', async (_, sender, headers, perSecond) => {
      vi.useFakeTimers();
      const { request, sent } = byteByByte(headers);
      const ended = readBody(request, MIB, sender).catch(() => {});
      await vi.advanceTimersByTimeAsync(1000);
      const perSecondAtMost = perSecond / BODY_PIECE_MIN_BYTES;
      expect(sent.pieces).toBeGreaterThan(perSecondAtMost / 4);
      expect(sent.pieces).toBeLessThan(1.1 * perSecondAtMost + 50);
      await vi.advanceTimersByTimeAsync(20_000);
      await ended;
    });
  });

  it('[RL24] shares a rate with all other long ones', async () => {
    const startedAt = performance.now();
    const read = await Promise.all([readBody(long(MIB), MIB, 'a'), readBody(long(MIB), MIB, 'b')]);
    expect(read.map(({ length }) => length)).toEqual([MIB, MIB]);
    // Timers may fire a little early, and the first slice is free.
    expect(performance.now() - startedAt).toBeGreaterThan((0.8 * (2 * MIB) * 1000) / BODIES_PER_S_MAX_BYTES);
  });
});

/** Raw deflate inflated up to a limit, with the streams of Node, which the page and the Worker have as well. */
import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { inflateInNode } from '../../cli/client/inflate.ts';
import { InflatedTooLarge, type Inflater, inflateBounded } from '../../client/bounded-inflate.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { INFLATE_SLICE_BYTES, SNAPSHOT_INFLATED_MAX_BYTES } from '../../protocol/limits.ts';
import { inflateInBrowser as inflateInPage } from '../../web/ui/connection/inflate.ts';

const packed = (bytes: Uint8Array) => new Uint8Array(deflateRawSync(bytes)) as Uint8Array<ArrayBuffer>;

const ways = [
  ['the page', inflateInPage],
  ['the command line', inflateInNode],
] as const;

describe.each(ways)('%s', (_, inflate) => {
  it('[X2] inflates data of the maximum size of a snapshot', async () => {
    const bytes = new Uint8Array(SNAPSHOT_INFLATED_MAX_BYTES).fill(120);
    expect((await inflate(packed(bytes))).length).toBe(bytes.length);
  });

  it('[X2] stops one byte later, with its own error', async () => {
    const bomb = packed(new Uint8Array(SNAPSHOT_INFLATED_MAX_BYTES + 1));
    await expect(inflate(bomb)).rejects.toThrow(InflatedTooLarge);
  });

  it.each([
    ['data that is not deflate', new Uint8Array([0xff, 0xff, 0xff])],
    ['truncated data', packed(new TextEncoder().encode('a screen')).subarray(0, 5)],
  ])('[X2] refuses %s', async (_name, bytes) => {
    await expect(inflate(bytes as Uint8Array<ArrayBuffer>)).rejects.toThrow(ProtocolError);
  });
});

describe('an inflater that accepts writes without waiting for its reader', () => {
  /** Each slice becomes a MiB at once, as a bomb does in workerd; nothing is read before it is asked for. */
  function eager(): { inflater: Inflater; written: () => number; held: () => number } {
    const ready: Uint8Array[] = [];
    let written = 0;
    let most = 0;
    let wake = () => {};
    return {
      inflater: {
        writer: {
          write: async (bytes) => {
            written += bytes.length;
            ready.push(new Uint8Array(1024 * 1024));
            most = Math.max(most, ready.length);
            wake();
          },
          close: async () => {},
        },
        reader: {
          read: async () => {
            while (ready.length === 0) {
              await new Promise<void>((resolve) => {
                wake = resolve;
              });
            }
            return { done: false, value: ready.shift() };
          },
          cancel: async () => {},
        },
      },
      written: () => written,
      held: () => most,
    };
  }

  it('[X2] gets the next slice when the previous one was read, and none after the limit', async () => {
    const { inflater, written, held } = eager();
    const settled = () => new Promise<void>((resolve) => void setImmediate(resolve));
    const bomb = new Uint8Array(200 * INFLATE_SLICE_BYTES);
    await expect(inflateBounded(inflater, bomb, { maxBytes: 8 * 1024 * 1024, settled })).rejects.toThrow(
      InflatedTooLarge,
    );
    expect(held()).toBe(1);
    await settled();
    expect(written()).toBeLessThanOrEqual(10 * INFLATE_SLICE_BYTES);
  });
});

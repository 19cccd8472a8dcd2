/** Binary frames that are written without `ws`, as a real `ws` at the other end reads them. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { sendUnmasked } from '../../node/direct-frames.ts';

let server: WebSocketServer;
let client: WebSocket;
let accepted: WebSocket;
let received: (string | Buffer)[];

beforeEach(async () => {
  server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connected = once(server, 'connection');
  client = new WebSocket(`ws://127.0.0.1:${port}`, {
    perMessageDeflate: false,
    generateMask: (mask: Buffer) => void mask.fill(0),
  });
  await once(client, 'open');
  [accepted] = (await connected) as [WebSocket];
  received = [];
  accepted.on('message', (data: Buffer, isBinary) => received.push(isBinary ? data : data.toString()));
});

afterEach(() => {
  client.terminate();
  server.close();
});

/** Bytes that differ from those of other frames. */
const bytes = (length: number, from: number) => Uint8Array.from({ length }, (_, at) => (from + at) % 251);

describe('frames that are written without `ws`', () => {
  it.each([0, 1, 125, 126, 65_535, 65_536])('[P27] arrive whole: %d bytes', async (length) => {
    sendUnmasked(client, bytes(length, 7));
    sendUnmasked(client, 'end');
    await expect.poll(() => received).toEqual([Buffer.from(bytes(length, 7)), 'end']);
  });

  it('[P27] do not overtake text, and are not overtaken', async () => {
    for (let round = 0; round < 50; round++) {
      sendUnmasked(client, bytes(3, round));
      sendUnmasked(client, `text ${round}`);
    }
    await expect.poll(() => received.length).toBe(100);
    expect(received).toEqual(
      Array.from({ length: 50 }, (_, round) => [Buffer.from(bytes(3, round)), `text ${round}`]).flat(),
    );
  });

  it('[P27] wait in order while the connection is full', async () => {
    accepted.pause();
    let sent = 0;
    while (client.bufferedAmount < 1_000_000) sendUnmasked(client, bytes(60_000, sent++));
    accepted.resume();
    await expect.poll(() => received.length).toBe(sent);
    for (const [at, frame] of received.entries()) expect(frame).toEqual(Buffer.from(bytes(60_000, at)));
  });

  it('[P27] go the usual way if the connection is not open', async () => {
    client.close();
    expect(() => sendUnmasked(client, bytes(3, 0))).not.toThrow();
    await once(client, 'close');
    expect(received).toEqual([]);
  });
});

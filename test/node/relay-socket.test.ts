/** What our wrapper of `ws` sends and delivers. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { type Identity, needsMask, relayDial } from '../../node/relay-socket.ts';
import { CLOSE } from '../../protocol/close-codes.ts';
import { Connection } from '../../protocol/connection.ts';
import { FakeClock } from '../support/fake-clock.ts';

const FRAME = Uint8Array.of(1, 2, 3, 4);
const silent = { opened() {}, received() {}, closed() {} };

/** A relay on loopback: its address, and the clients that dial it. */
async function relay(identity?: Identity, answer: readonly string[] = []) {
  const http = createServer();
  const sockets = new WebSocketServer({ server: http });
  sockets.on('headers', (headers) => headers.push(...answer));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const url = new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}`);
  const dial = relayDial(url, '/', () => ({ ok: true, token: 'token' }), identity);
  const stop = () => {
    for (const socket of sockets.clients) socket.terminate();
    http.close();
  };
  return { http, sockets, dial, stop };
}

describe('a connection to the relay', () => {
  it.each([
    ['http://relay.example', true],
    ['ws://10.0.0.7:8787', true],
    ['ws://127.evil.example', true],
    ['wss://relay.example', false],
    ['ws://localhost:8787', false],
    ['ws://127.0.0.1:8787', false],
    ['ws://[::1]:8787', false],
  ])('[P27] sends masked frames if an intermediary could misread them: %s, %s', (address, isMasked) => {
    expect(needsMask(new URL(address))).toBe(isMasked);
  });

  it('[P27] sends unmasked frames on the same machine', async () => {
    const { http, dial, stop } = await relay();
    const upgraded = once(http, 'upgrade') as Promise<[request: unknown, stream: Duplex]>;
    const socket = dial({ ...silent, opened: () => socket.send(FRAME) });
    const [, stream] = await upgraded;
    // `ws` has paused it while it shook hands; its own reader takes the same bytes.
    const [bytes] = (await once(stream, 'data')) as [Buffer];
    expect([...bytes.subarray(2)]).toEqual([0, 0, 0, 0, ...FRAME]);
    stop();
  });

  it('[P27] delivers a frame that later frames do not overwrite', async () => {
    const { sockets, dial, stop } = await relay();
    const arrived = once(sockets, 'connection');
    const received: (string | Uint8Array)[] = [];
    const both = new Promise<void>((resolve) => {
      dial({ ...silent, received: (frame) => received.push(frame) === 3 && resolve() });
    });
    const [server] = await arrived;
    for (const frame of [FRAME, 'text', Buffer.alloc(70_000, 7)]) server.send(frame);
    await both;
    expect(received).toEqual([FRAME, 'text', new Uint8Array(70_000).fill(7)]);
    stop();
  });

  it('[F25] is dropped once it was closed, even if the TCP connection stays open', async () => {
    const { sockets, dial, stop } = await relay();
    const arrived = once(sockets, 'connection');
    const closed = new Promise((resolve) => {
      dial({ ...silent, closed: (code, reason) => resolve([code, reason]) });
    });
    const [server] = await arrived;
    server.pause(); // reads no answer, and so does not hang up
    server.close(CLOSE.unauthorized, 'taken back');
    expect(await closed).toEqual([CLOSE.unauthorized, 'taken back']);
    stop();
  });
});

describe('a dial that fails', () => {
  it.each([
    ['with two lines', 'a.b.c\nd.e.f', 'has more than one line'],
    ['with a typographic dash', 'a.b.\u2014', 'has a space or a character that no token has'],
    ['with a space', 'Bearer a.b.c', 'has a space or a character that no token has'],
    ['with a NUL', 'a.b\0', 'has a space or a character that no token has'],
  ])('[CN1] for a token %s is handled like any other and retried later', async (_, bad, why) => {
    const clock = new FakeClock();
    const tokens = [bad, 'a.b.c'];
    const offered: string[] = [];
    const { http, stop } = await relay();
    http.on('upgrade', ({ headers }) => offered.push(`${headers.authorization}`));
    const address = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    const opened = Promise.withResolvers<void>();
    const sentences: string[] = [];
    const connection = new Connection({
      dial: relayDial(address, '/', () => ({ ok: true, token: tokens.shift() ?? '' })),
      clock,
      random: () => 0.5,
      watched: () => true,
      renewable: true,
      stateChanged: (state) => {
        if (state.name === 'waiting') sentences.push(state.reason);
        if (state.name === 'open') opened.resolve();
      },
      received() {},
    });
    await Promise.resolve();
    expect(connection.state).toMatchObject({ name: 'waiting', code: CLOSE.unauthorized });
    expect(sentences).toEqual([expect.stringContaining(why)]);
    connection.retryNow();
    await opened.promise;
    expect(offered).toEqual(['Bearer a.b.c']);
    connection.close();
    stop();
  });

  it('[CN1] reports any reason, and is retried later', async () => {
    const unable: Identity = {
      offer: () => {
        throw new Error('the key is gone');
      },
      answer: () => null,
    };
    const { dial, stop } = await relay(unable);
    const closed = new Promise((resolve) => {
      dial({ ...silent, closed: (code, reason) => resolve([code, reason]) });
    });
    expect(await closed).toEqual([CLOSE.abnormal, 'The relay cannot be dialled: the key is gone.']);
    stop();
  });
});

describe('the identity of the dialling agent', () => {
  /** What the relay receives first, if the client sends `hello` as soon as it may. */
  async function firstWords(identity: Identity, answer: readonly string[]) {
    const { sockets, dial, stop } = await relay(identity, answer);
    const arrived = once(sockets, 'connection');
    const socket = dial({ ...silent, opened: () => socket.send('hello') });
    const [server, request] = await arrived;
    const words: string[] = [];
    await new Promise<void>((resolve) => {
      server.on(
        'message',
        (data: Buffer) => words.push(data.toString()) && words.includes('hello') && resolve(),
      );
    });
    stop();
    return { words, offered: request.headers['holdfast-agent-key'] };
  }

  const identity: Identity = {
    offer: () => ({ 'Holdfast-Agent-Key': 'mine' }),
    answer: ({ 'holdfast-challenge': challenge }) =>
      challenge === undefined ? null : `proof of ${challenge}`,
  };

  it('[AK4] is proven before anything else if the relay sends a challenge', async () => {
    expect(await firstWords(identity, ['Holdfast-Challenge: abc'])).toEqual({
      words: ['proof of abc', 'hello'],
      offered: 'mine',
    });
  });

  it('[AK3] is not proven to a relay without a challenge, such as an earlier version', async () => {
    expect((await firstWords(identity, [])).words).toEqual(['hello']);
  });

  it('[AK4] ends the dial with a sentence and sends nothing if it cannot answer the challenge', async () => {
    const unable = {
      ...identity,
      answer: () => {
        throw new Error('of low order');
      },
    };
    const { sockets, dial, stop } = await relay(unable, ['Holdfast-Challenge: abc']);
    const arrived = once(sockets, 'connection');
    const closed = new Promise((resolve) => {
      const opened = () => resolve('opened');
      dial({ ...silent, opened, closed: (code, reason) => resolve([code, reason]) });
    });
    await arrived;
    const sentence = "The relay's challenge cannot be answered: of low order.";
    expect(await closed).toEqual([CLOSE.abnormal, sentence]);
    stop();
  });
});

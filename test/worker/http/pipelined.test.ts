/** Requests that no library sends, on a real relay: without waiting for answers, and with a Host that is no address. */
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { sharedRelays } from '../../support/shared-relays.ts';

const relays = sharedRelays();
const REQUESTS = 5_000;

it('[SEC21] [RL24] without a credential do not keep others waiting until the last one is answered', async () => {
  const { url } = await relays.onWorkerd();
  const wire = connect(Number(url.port), url.hostname);
  let answers = 0;
  const first = new Promise<void>((resolve) => {
    wire.setEncoding('latin1').on('data', (text: string) => {
      answers += text.split('HTTP/1.1 200').length - 1;
      resolve();
    });
  });
  wire.write(`GET /health HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`.repeat(REQUESTS));
  await first;
  expect((await fetch(new URL('/health', url))).status).toBe(200);
  expect(answers).toBeLessThan(REQUESTS);
  wire.destroy();
});

it.each(['[::1', '127.0.0.1:99999'])('[SEC10] with the Host %s are refused as bad requests', async (host) => {
  const { url } = await relays.onWorkerd();
  const wire = connect(Number(url.port), url.hostname);
  const answer = new Promise<string>((resolve) => void wire.setEncoding('latin1').once('data', resolve));
  wire.write(`GET /health HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  expect((await answer).split('\r\n')[0]).toBe('HTTP/1.1 400 Bad Request');
  wire.destroy();
});

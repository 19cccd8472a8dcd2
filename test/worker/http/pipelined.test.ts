/** Requests that are sent without waiting for the answers to earlier ones, on a real relay. */
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

/** Requests that no library sends, on a real relay: without waiting for answers, and with a Host that is no address. */
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { sharedRelays } from '../../support/shared-relays.ts';

const relays = sharedRelays();
const REQUESTS = 5_000;

/** Both kinds are answered by the relay itself; the second is refused before anything else is done. */
it.each([
  ['an address', 'relay', 200],
  ['no address', '[::1', 400],
])(
  '[SEC21] [RL24] without a credential, with a Host that is %s, do not keep others waiting until the last one is answered',
  async (_, host, status) => {
    const { url } = await relays.onWorkerd();
    const wire = connect(Number(url.port), url.hostname);
    let answers = 0;
    const first = new Promise<void>((resolve) => {
      wire.setEncoding('latin1').on('data', (text: string) => {
        answers += text.split(`HTTP/1.1 ${status}`).length - 1;
        resolve();
      });
    });
    wire.write(`GET /health HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(REQUESTS));
    await first;
    expect((await fetch(new URL('/health', url))).status).toBe(200);
    expect(answers).toBeLessThan(REQUESTS);
    wire.destroy();
  },
);

/** The head of the answer to one request. */
async function headOf(request: string): Promise<string> {
  const { url } = await relays.onWorkerd();
  const wire = connect(Number(url.port), url.hostname);
  const answer = new Promise<string>((resolve) => void wire.setEncoding('latin1').once('data', resolve));
  wire.write(request);
  const [head = ''] = (await answer).split('\r\n\r\n');
  wire.destroy();
  return head;
}

it.each(['[::1', '127.0.0.1:99999'])(
  '[SEC10] [SEC20] with the Host %s are refused as bad requests',
  async (host) => {
    const head = await headOf(`GET /health HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request/);
    expect(head.toLowerCase()).toContain('x-content-type-options: nosniff');
  },
);

it.each(['GET /w/..\\..\\assets\\x', 'GET /x/%2e%2e/assets/y', 'POST /assets/x'])(
  '[SEC20] [X17] to %s, which is no file, are answered with the headers of every response',
  async (line) => {
    const head = await headOf(`${line} HTTP/1.1\r\nHost: relay\r\nContent-Length: 0\r\n\r\n`);
    for (const header of [
      'x-content-type-options: nosniff',
      'referrer-policy: no-referrer',
      'cache-control: no-',
    ])
      expect(head.toLowerCase()).toContain(header);
  },
);

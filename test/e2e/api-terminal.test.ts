/** Single-terminal mode: a WebSocket that acts as a terminal, for clients that do not know our protocol. */
import { once } from 'node:events';
import { AttachAddon } from '@xterm/addon-attach';
import xterm from '@xterm/headless';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { ApiClient } from '../support/api-client.ts';
import { familyOf } from '../support/process-table.ts';
import { World } from '../support/world.ts';

let world: World;
let api: ApiClient;
beforeAll(async () => {
  world = await World.open({ shell: '/bin/sh' });
  api = await world.api();
});
afterAll(() => world[Symbol.asyncDispose]());

async function open(
  query = '',
  headers?: Record<string, string>,
  protocols: string[] = [],
): Promise<WebSocket> {
  const url = new URL(`/terminal/ws?workspace=test${query}`, world.relay.url);
  url.protocol = 'ws:';
  const socket = new WebSocket(url, protocols, {
    headers: headers ?? (await world.relay.bearer('operator')),
    perMessageDeflate: false,
  });
  await once(socket, 'open');
  return socket;
}

/** Collects received data, and waits for it. */
class Received {
  text = '';
  bytes = 0;
  #wake: () => void = () => {};

  constructor(socket: WebSocket) {
    const decoder = new TextDecoder();
    socket.on('message', (data: Buffer) => {
      this.bytes += data.length;
      this.text = (this.text + decoder.decode(data, { stream: true })).slice(-100_000);
      this.#wake();
    });
  }

  async sees(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.text)) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

const sessions = async () =>
  (await api.ask<{ sessions: { id: string; status: string }[] }>('GET', '/sessions')).body.sessions;

/** Queries the cursor position, and prints the six bytes of the answer. */
const ASKING =
  "stty -icanon -echo; printf '\\033[6n'; head -c 6 | od -An -c; stty icanon echo; echo answered-$((1+1))\n";

describe('a terminal over a plain WebSocket', () => {
  it('[P15] carries raw bytes in both directions, at the requested size; a typed "ping" reaches the shell', async () => {
    const socket = await open('&cols=101&rows=37');
    const received = new Received(socket);
    socket.send('PS1="$ "; stty size\n');
    await received.sees(/37 101/);
    socket.send('cat\n');
    socket.send('ping');
    socket.send('\n');
    // Once as the terminal's echo, once from the program.
    await received.sees(/ping\r\nping\r\n/);
    socket.send(Buffer.from('grüße\n'));
    await received.sees(/grüße\r\ngrüße\r\n/);
    socket.send('\x04');
    socket.send('exit 5\n');
    const [code, reason] = await once(socket, 'close');
    expect([code, String(reason)]).toEqual([1000, 'The program ended with code 5.']);
    await expect.poll(sessions).toEqual([]);
  });

  it('[P15] ends its session when it closes, also if it is cut', async () => {
    for (const end of ['close', 'terminate'] as const) {
      const socket = await open();
      const received = new Received(socket);
      socket.send('echo up-$((1+1))\n');
      await received.sees(/up-2/);
      expect(await sessions()).toHaveLength(1);
      socket[end]();
      await expect.poll(sessions).toEqual([]);
    }
  });

  it('[P15] passes bytes that are not text unchanged', async () => {
    const socket = await open();
    const chunks: Buffer[] = [];
    socket.on('message', (data: Buffer) => chunks.push(data));
    const received = new Received(socket);
    socket.send("stty -echo -opost; printf 'begin\\377\\376\\000\\200end'; echo\n");
    await received.sees(/end\n/);
    expect(Buffer.concat(chunks).toString('latin1')).toContain('begin\xff\xfe\0\x80end');
    socket.close();
  });

  it('[P15] [RL17] is read in turns when it sends without a pause: everything arrives, but not at once', async () => {
    const socket = await open();
    const received = new Received(socket);
    const beganAt = performance.now();
    for (let sent = 0; sent < 4_000; sent++) socket.send(Buffer.alloc(0));
    socket.send('echo read-$((1+1))\n');
    await received.sees(/read-2/);
    // Ten units each, of which there are 20 000 a second; a slower machine takes longer.
    expect(performance.now() - beganAt).toBeGreaterThan(1_500);
    socket.close();
  });

  it('[SEC21] [RL17] terminals of several tokens share the turn of their workspace', async () => {
    const sockets = await Promise.all([open(), open(), open(), open()]);
    const received = sockets.map((socket) => new Received(socket));
    const beganAt = performance.now();
    for (const socket of sockets) {
      for (let sent = 0; sent < 1_500; sent++) socket.send(Buffer.alloc(0));
      socket.send('echo read-$((1+1))\n');
    }
    await Promise.all(received.map((one) => one.sees(/read-2/)));
    // Ten units each, of which there are 20 000 a second for all of them.
    expect(performance.now() - beganAt).toBeGreaterThan(2_500);
    for (const socket of sockets) socket.close();
  });

  it('[P15] does not forward device queries, which the agent answers once', async () => {
    const socket = await open();
    const received = new Received(socket);
    socket.send(ASKING);
    await received.sees(/answered-\d/);
    // What was answered: 033 [ row ; column R.
    expect(received.text).toMatch(/033 {3}\[ {3}\d {3}; {3}\d {3}R/);
    expect(received.text, 'the question').not.toContain('\x1b[6n');
    socket.close();
  });

  it("[P15] works with xterm's AttachAddon unchanged", async () => {
    const { Authorization } = await world.relay.bearer('operator');
    const url = new URL('/terminal/ws?workspace=test', world.relay.url);
    url.protocol = 'ws:';
    const socket = new WebSocket(url, { headers: { Authorization } });
    const terminal = new xterm.Terminal({ cols: 80, rows: 24, allowProposedApi: true });
    terminal.loadAddon(new AttachAddon(socket as never) as never);
    await once(socket, 'open');
    const screen = () =>
      Array.from({ length: 24 }, (_, row) =>
        terminal.buffer.active.getLine(row)?.translateToString(true),
      ).join('\n');
    terminal.input(ASKING.replace('\n', '\r'));
    await expect.poll(screen).toMatch(/^answered-2$/m);
    // The terminal did not get the query as well, so no second answer was typed.
    terminal.input('echo clean-$((1+1))\r');
    await expect.poll(screen).toMatch(/^clean-2$/m);
    expect(screen()).not.toMatch(/\[\d+;\d+R/);
    socket.close();
  });

  it('[P15] survives a flood, which does not outrun a stalled reader', async () => {
    await expect.poll(sessions).toEqual([]);
    const socket = await open();
    const received = new Received(socket);
    socket.send('PS1="$ "; stty -echo; echo go-$((1+1))\n');
    await received.sees(/go-2/);
    const before = workerdMemory();
    socket.pause();
    // Nobody reads it; the program is not blocked forever, and the backlog is limited.
    socket.send('seq 1 3000000; echo flood-$((1+1))\n');
    const [{ id } = { id: '' }] = await sessions();
    await api.waitFor(id, { text: 'flood-2', from: 'screen', timeout: '120' });
    // The backlog remains while nobody reads; what was only in flight is released.
    await expect.poll(() => workerdMemory() - before).toBeLessThan(100 * 1024 * 1024);
    socket.resume();
    socket.send('echo after-$((1+1))\n');
    await received.sees(/after-2/);
    socket.close();
  });

  it('[P15] [GT3] is for operators only, and refuses others over HTTP with a reason', async () => {
    const viewer = await world.relay.bearer('viewer');
    await expect(open('', viewer)).rejects.toThrow('403');
    const response = await fetch(new URL('/terminal/ws?workspace=test', world.relay.url), {
      headers: await world.relay.bearer('operator'),
    });
    expect(response.status).toBe(426);
    await expect(open('&cols=0')).rejects.toThrow('400');
  });
});

/** Resident bytes of the workerd that this test's relay runs in. */
function workerdMemory(): number {
  const ours = familyOf(process.pid).filter(({ name }) => name === 'workerd');
  return ours.reduce((sum, { residentBytes }) => sum + residentBytes, 0);
}

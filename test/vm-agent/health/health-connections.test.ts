/** What other users of the machine can make the agent's health port do: little, whatever they send. */
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { HEALTH_CONNECTIONS_MAX, startHealthServer } from '../../../vm-agent/health/health-server.ts';

const REQUEST = 'GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n';

let port: number;
let now: number;
let made: number;
/** How much later it is whenever the server looks. */
let step: number;

beforeEach(async () => {
  made = 0;
  now = 0;
  step = 0;
  const sessions = { running: 0, orphaned: 0, exited: 0 };
  const server = await startHealthServer(
    0,
    {
      health: () => ({ status: 'ok', version: '1', link: { state: 'open' }, sessions, trouble: null }),
      metrics: () => `made ${++made}\n`,
    },
    // Connections end for other reasons than their time limit.
    {
      now: () => {
        now += step;
        return now;
      },
      connectionMaxMs: 3600_000,
    },
  );
  onTestFinished(() => void server.close());
  port = (server.address() as AddressInfo).port;
});

async function opened(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** All that the server answers until it ends the connection. */
async function answered(request: string): Promise<string> {
  const socket = await opened();
  socket.write(request);
  return text(socket);
}

it('[X26] [SEC12] ends the oldest connection when there is one too many, and serves the newest', async () => {
  const oldest = await opened();
  const ended = once(oldest, 'close');
  for (let i = 1; i < HEALTH_CONNECTIONS_MAX; i++) await opened();
  expect(oldest.destroyed).toBe(false);
  expect(await answered(REQUEST)).toContain('made 1');
  await ended;
});

it('[X26] [SEC12] answers one request of a connection, however many are sent without waiting', async () => {
  step = 1000;
  const answers = await answered(REQUEST.repeat(1000)).catch(() => '');
  expect(answers.split('HTTP/1.1 200').length).toBeLessThanOrEqual(2);
  expect(made).toBe(1);
});

it('[X26] [SEC12] makes an answer at most once a second', async () => {
  for (const [at, expected] of [
    [0, 1],
    [999, 1],
    [1000, 2],
  ] as const) {
    now = at;
    expect(await answered(REQUEST)).toContain(`made ${expected}`);
  }
});

/** Attacks with HTTP requests that no library would send, written to the connection byte by byte. */
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Attack } from './attack.ts';
import { bearer, repeat, socket } from './attacker-tools.ts';
import { ATTACKED, type AttackerTarget } from './scene.ts';

const PARALLEL = 16;
/** One byte of a body with its own length in front, many times. */
const CRUMBS = Buffer.from('1\r\n7\r\n'.repeat(10_000));
const CONNECTIONS = 200;
const CHALLENGE = 'GET /api/workspaces/x/login/challenge HTTP/1.1\r\nHost: relay\r\n\r\n';
const PIPELINED = Buffer.from('GET /health HTTP/1.1\r\nHost: relay\r\n\r\n'.repeat(2_000));

const WITHOUT_HOST = Buffer.from('GET /health HTTP/1.1\r\n\r\n'.repeat(2_000));

/** Sends `head` and then `body` without an end, until the relay closes the connection. What comes back is dropped. */
function pour({ relay }: AttackerTarget, head: string, body: Buffer): Promise<void> {
  const { hostname, port } = new URL(relay);
  const wire = connect(Number(port), hostname);
  const pump = () => {
    while (wire.writable && wire.write(body));
  };
  wire.resume();
  wire.on('drain', pump);
  wire.on('connect', () => {
    wire.write(head);
    pump();
  });
  return new Promise((resolve) => {
    wire.on('error', () => {});
    wire.on('close', () => resolve());
  });
}

/** Sends a request, and the next one as soon as it is answered, on one connection. */
function ask({ relay }: AttackerTarget, request: string): void {
  const { hostname, port } = new URL(relay);
  const wire = connect(Number(port), hostname, () => wire.write(request));
  wire.on('error', () => {});
  wire.on('data', () => wire.write(request));
}

/** Sends a request, and does not wait for its answer. */
function hangUp({ relay }: AttackerTarget): Promise<void> {
  const { hostname, port } = new URL(relay);
  const wire = connect(Number(port), hostname, () => {
    wire.write(CHALLENGE);
    setTimeout(() => wire.resetAndDestroy(), 10);
  });
  wire.on('error', () => {});
  return new Promise((resolve) => wire.on('close', () => resolve()));
}

function chunkedPost(path: string, headers: Record<string, string>): string {
  const lines = Object.entries({ Host: 'relay', 'Transfer-Encoding': 'chunked', ...headers });
  return `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}

export const RAW_REQUESTS: readonly Attack[] = [
  {
    id: 'crumbs',
    what: 'somebody without a credential posts to nowhere, a byte at a time, sixteen at once',
    run: (target) => repeat(PARALLEL, () => pour(target, chunkedPost('/nowhere', {}), CRUMBS)),
  },
  {
    id: 'typed crumbs',
    what: 'an operator types JSON, a byte at a time, sixteen at once',
    run: (target) => {
      const path = `/api/workspaces/${ATTACKED}/sessions/${target.quiet}/input`;
      const headers = { ...bearer(target.operator), 'Content-Type': 'application/json' };
      return repeat(PARALLEL, () => pour(target, chunkedPost(path, headers), CRUMBS));
    },
  },
  {
    id: 'pipelined',
    what: 'somebody without a credential sends requests without waiting for their answers, over four connections',
    run: (target) => repeat(4, () => pour(target, '', PIPELINED)),
  },
  {
    id: 'no host',
    what: 'somebody without a credential sends requests without a Host header, over four connections',
    run: (target) => repeat(4, () => pour(target, '', WITHOUT_HOST)),
  },
  {
    id: 'hang up',
    what: `somebody without a credential connects, asks and hangs up 10 ms later, ${CONNECTIONS} at once`,
    run: (target) => repeat(CONNECTIONS, () => hangUp(target)),
  },
  {
    id: 'connections',
    what: `somebody without a credential asks for a challenge as soon as the last one has come, on ${CONNECTIONS} connections`,
    run: async (target) => {
      for (let i = 0; i < CONNECTIONS; i++) ask(target, CHALLENGE);
      await pause(600_000);
    },
  },
  {
    id: 'all dial',
    what: 'the agents of three workspaces connect again and again, eight of each at once',
    run: async (target) => {
      const dialling = target.alsoHostile.map(({ workspace, agent }) =>
        repeat(8, async () => (await socket(target, `/ws/agent/${workspace}`, agent)).terminate()),
      );
      await Promise.all(dialling);
    },
  },
];

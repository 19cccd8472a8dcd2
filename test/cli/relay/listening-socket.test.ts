/** The relay's listening socket: how many connections may wait for it to accept them. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { QUEUE_MAX } from '../../../cli/relay/listening-socket.ts';
import { startRelay } from '../../../cli/relay/relay.ts';
import { hasProc, unlessProc } from '../../support/needs-proc.ts';
import { SECRET } from '../../support/test-relay.ts';

const SYN_SENT = '02';

/** Connections to this port that have not been answered. */
function unanswered(port: number): number {
  const hexadecimal = port.toString(16).toUpperCase().padStart(4, '0');
  const rows = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((row) => row.trim().split(/\s+/));
  return rows.filter(([, , remote, state]) => remote === `0100007F:${hexadecimal}` && state === SYN_SENT)
    .length;
}

it.runIf(hasProc)(
  `[X28] [SEC21] a relay that accepts nothing holds few connections: others wait at their own end${unlessProc}`,
  async () => {
    const stateDir = await mkdtemp(join(tmpdir(), 'holdfast-queue-'));
    onTestFinished(() => rm(stateDir, { recursive: true, force: true }));
    const relay = await startRelay({ host: '127.0.0.1', port: 0, stateDir, secret: SECRET });
    onTestFinished(() => relay.stop());
    const port = Number(relay.url.port);
    const open = (): Socket => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      onTestFinished(() => void socket.destroy());
      return socket;
    };
    process.kill(relay.pid, 'SIGSTOP');
    onTestFinished(() => void process.kill(relay.pid, 'SIGCONT'));
    // Linux lets one more wait than it is told.
    for (let i = 0; i <= QUEUE_MAX; i++) await once(open(), 'connect');
    expect(unanswered(port)).toBe(0);
    const oneMore = open();
    await vi.waitFor(() => expect(unanswered(port)).toBe(1), 60_000);
    process.kill(relay.pid, 'SIGCONT');
    await once(oneMore, 'connect');
  },
);

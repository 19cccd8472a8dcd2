/** Shared by the attacks: endless requests, and sockets that send arbitrary data. */
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { SUBPROTOCOL } from '../../protocol/version.ts';
import { ATTACKED, type AttackerTarget } from './scene.ts';

/** A session of the attacked machine that runs this script. */
export async function createSession(target: AttackerTarget, script: string): Promise<string> {
  const response = await fetch(new URL(`/api/workspaces/${ATTACKED}/sessions`, target.relay), {
    method: 'POST',
    headers: { ...bearer(target.operator), 'Content-Type': 'application/json' },
    body: JSON.stringify({ command: 'sh', args: ['-c', script], cols: 80, rows: 24 }),
  });
  return ((await response.json()) as { id: string }).id;
}

export function bearer(token: string): Record<string, string> {
  return { Authorization: `Bearer ${token}` };
}

export async function get(
  target: AttackerTarget,
  path: string,
  token: string,
  method = 'GET',
): Promise<void> {
  const response = await fetch(new URL(path, target.relay), { method, headers: bearer(token) });
  await response.arrayBuffer();
}

/** Runs `parallel` of them at any time, endlessly. */
export async function repeat(parallel: number, act: () => Promise<void>): Promise<void> {
  const forever = async () => {
    for (;;) {
      await act().catch(() => {});
      await pause(1);
    }
  };
  await Promise.all(Array.from({ length: parallel }, forever));
}

export function socket(
  { relay }: AttackerTarget,
  path: string,
  token: string,
  subprotocols: string | string[] = SUBPROTOCOL,
): Promise<WebSocket> {
  const url = new URL(path, relay);
  url.protocol = 'ws:';
  const made = new WebSocket(url, subprotocols, { headers: bearer(token), perMessageDeflate: false });
  return new Promise((resolve, reject) => {
    made.once('open', () => resolve(made));
    made.on('error', reject);
  });
}

export function say(peer: WebSocket, message: object): void {
  if (peer.readyState === WebSocket.OPEN) peer.send(JSON.stringify(message));
}

/** Takes nothing more from the network, as a program does that is stopped. */
export function stopReading(peer: WebSocket): void {
  tcpOf(peer).pause();
}

/** The TCP connection below a socket, to which the library has no way. */
export function tcpOf(peer: WebSocket): Socket {
  return (peer as unknown as { readonly _socket: Socket })._socket;
}

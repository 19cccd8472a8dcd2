/** A workspace without a network: its sockets only remember what they were sent, and its registry what it was told. */
import type { SessionInfo } from '../../../protocol/messages/session-info.ts';
import type { Time } from '../../../worker/platform/time.ts';
import type { Registry } from '../../../worker/registry/registry.ts';
import { WorkspaceSockets } from '../../../worker/workspace/workspace-sockets.ts';

export const CREDENTIAL = { tokenId: 't', issuedAt: 0, expiresAt: 9e15 };

export class RememberingSocket {
  readyState = 1;
  sent = 0;
  readonly texts: string[] = [];
  closed: number | undefined;
  send(data: string | ArrayBuffer): void {
    if (typeof data === 'string') this.texts.push(data);
    this.sent++;
  }
  close(code: number): void {
    this.closed = code;
  }
  attachment: unknown;
  serializeAttachment(attachment: unknown): void {
    this.attachment = attachment;
  }
  deserializeAttachment(): unknown {
    return this.attachment;
  }
}

export const rememberingSocket = () => new RememberingSocket() as RememberingSocket & WebSocket;

/** With an agent; its clock is `now`. */
export function openRoom(now: () => number) {
  const rows = new Map<string, SessionInfo>();
  const counts = { writes: 0, resets: 0 };
  const registry = {
    agent: () => ({ state: 'online', since: null, epoch: 'e', generation: 1 }),
    nextGeneration: () => 1,
    agentOffline() {},
    sessions: {
      has: () => true,
      get: (id: string) => rows.get(id) ?? null,
      put(session: SessionInfo) {
        counts.writes++;
        rows.set(session.id, session);
      },
    },
  };
  const time: Time = {
    now,
    heartbeatAt: () => null,
    setAlarm() {},
    pause() {},
    reset: () => void counts.resets++,
  };
  const room = new WorkspaceSockets(registry as unknown as Registry, [], time);
  const agent = rememberingSocket();
  room.admitAgent(agent, CREDENTIAL);
  return { room, agent, time, rows, counts };
}

/**
 * Attacks by endless messages, written without the WebSocket library: prepared frames, sent as fast as the relay takes
 * them. Refused data is sent again.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { sessionInfo } from '../../test/support/scripted-session.ts';
import type { Attack } from './attack.ts';
import { bearer, say, socket, tcpOf } from './attacker-tools.ts';
import { ATTACKED, HOSTILE } from './scene.ts';

const TEXT = 0x81;
const BINARY = 0x82;
const FRAMES_AT_ONCE = 1_000;
const SHORT_MAX_BYTES = 125;
/** Clients that a message to all of them goes to. */
const CLIENTS = 32;

/** A frame with a mask of zeros, many times. */
function frames(opcode: number, payload: string): Buffer {
  const bytes = Buffer.from(payload);
  if (bytes.length > SHORT_MAX_BYTES) throw new Error('invariant: a long frame has another header');
  const frame = Buffer.concat([Buffer.from([opcode, 0x80 | bytes.length, 0, 0, 0, 0]), bytes]);
  return Buffer.concat(Array.from({ length: FRAMES_AT_ONCE }, () => frame));
}

/** Writes for as long as the connection is open; what comes back is read and ignored. */
async function flood(peer: WebSocket, bytes: Buffer): Promise<void> {
  const wire = tcpOf(peer);
  wire.removeAllListeners('data');
  wire.resume();
  while (!wire.destroyed) await new Promise<void>((resolve) => void wire.write(bytes, () => resolve()));
  await pause(60_000);
}

export const FLOODS: readonly Attack[] = [
  {
    id: 'ping',
    what: 'a viewer sends nothing but heartbeats, without a pause',
    run: async (target) => {
      const viewer = await socket(target, `/ws/workspaces/${ATTACKED}`, target.viewer);
      await flood(viewer, frames(TEXT, 'ping'));
    },
  },
  {
    id: 'ping closed',
    what: 'the same, after it was closed',
    run: async (target) => {
      const viewer = await socket(target, `/ws/workspaces/${ATTACKED}`, target.viewer);
      viewer.send('no message');
      await pause(300);
      await flood(viewer, frames(TEXT, 'ping'));
    },
  },
  {
    id: 'terminal',
    what: 'an operator sends empty messages in single-terminal mode, without a pause',
    run: async (target) => {
      const path = `/terminal/ws?workspace=${ATTACKED}&cols=80&rows=24`;
      const terminal = await socket(target, path, target.operator, []);
      await flood(terminal, frames(BINARY, ''));
    },
  },
  {
    id: 'to clients',
    what: `an agent has a short message told to ${CLIENTS} clients, without a pause`,
    run: async (target) => {
      const agent = await socket(target, `/ws/agent/${HOSTILE}`, target.hostileAgent);
      say(agent, { type: 'hello', version: 1, epoch: 'e', sessions: [], more: false });
      const path = `/ws/workspaces/${HOSTILE}`;
      for (let i = 0; i < CLIENTS; i++) await socket(target, path, target.hostileViewer);
      const message = { type: 'session_activity', session: 's', bell: false };
      await flood(agent, frames(TEXT, JSON.stringify({ type: 'to_clients', message })));
    },
  },
  {
    id: 'to streams',
    what: `an agent has a short message told to ${CLIENTS} streams of the HTTP API, without a pause`,
    run: async (target) => {
      const agent = await socket(target, `/ws/agent/${HOSTILE}`, target.hostileAgent);
      const session = sessionInfo('s');
      say(agent, { type: 'hello', version: 1, epoch: 'e', sessions: [session], more: false });
      agent.on('message', (data: Buffer, isBinary: boolean) => {
        const told = isBinary ? {} : JSON.parse(data.toString());
        if (told.type !== 'from_client' || told.message.type !== 'reattach_session') return;
        const { channel } = told;
        const { request } = told.message;
        const answer = { type: 'session_reattached', request, session, handle: 1, inputOffset: 0 };
        say(agent, { type: 'to_client', channel, message: answer });
        const replay = {
          type: 'scrollback',
          session: 's',
          handle: 1,
          kind: 'delta',
          from: 0,
          to: 0,
          lost: 0,
        };
        say(agent, { type: 'to_client', channel, message: { ...replay, cols: 80, rows: 24, bytes: 0 } });
      });
      const url = new URL(`/api/workspaces/${HOSTILE}/sessions/s/stream?since=0`, target.relay);
      const follow = () => fetch(url, { headers: bearer(target.hostileViewer) });
      await Promise.all(Array.from({ length: CLIENTS }, follow));
      const message = { type: 'session_activity', session: 's', bell: false };
      await flood(agent, frames(TEXT, JSON.stringify({ type: 'to_clients', message })));
    },
  },
  {
    id: 'presence',
    what: `an agent asks which of ${CLIENTS} clients are there, without a pause`,
    run: async (target) => {
      const agent = await socket(target, `/ws/agent/${HOSTILE}`, target.hostileAgent);
      say(agent, { type: 'hello', version: 1, epoch: 'e', sessions: [], more: false });
      const path = `/ws/workspaces/${HOSTILE}`;
      for (let i = 0; i < CLIENTS; i++) await socket(target, path, target.hostileViewer);
      await flood(agent, frames(TEXT, JSON.stringify({ type: 'ask_presence', question: 'q' })));
    },
  },
  {
    id: 'workspaces',
    what: 'the agents of three workspaces ask who is there, without a pause',
    run: async (target) => {
      await Promise.all(
        target.alsoHostile.map(async ({ workspace, agent: token }) => {
          const agent = await socket(target, `/ws/agent/${workspace}`, token);
          say(agent, { type: 'hello', version: 1, epoch: 'e', sessions: [], more: false });
          await flood(agent, frames(TEXT, '{"type":"ask_presence","question":"q"}'));
        }),
      );
    },
  },
];

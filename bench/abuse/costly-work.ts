/** Attacks that make the relay work: writes to its storage, and streams whose events cost it more than the sender. */
import { readdirSync, statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { encodeFrame } from '../../protocol/frame.ts';
import { sessionInfo } from '../../test/support/scripted-session.ts';
import type { Attack } from './attack.ts';
import { bearer, createSession, get, repeat, say, socket } from './attacker-tools.ts';
import { ATTACKED, type AttackerTarget, HOSTILE } from './scene.ts';

const LAYOUT_SAVERS = 45;
const STREAMS = 32;
/** A program that prints a letter every 2 to 3 ms. */
const CHATTY = 'while :; do printf x; sleep 0.002; done';
const SESSIONS = 1000;
const FOLLOWERS = 32;
const PARALLEL = 16;

/** Calls `act` again for every message that comes back, so that each connection always has one in flight. */
function pingPong(peer: WebSocket, act: () => void): void {
  peer.on('message', act);
  act();
}

/** The relay passes a client's request on with the number of its channel. */
function channelOfRequest(agent: WebSocket): Promise<number> {
  return new Promise((resolve) => {
    agent.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString());
      if (message.type === 'from_client') resolve(message.channel);
    });
  });
}

/** The channels of all clients that are connected. */
function channelsOf(agent: WebSocket): Promise<number[]> {
  return new Promise((resolve) => {
    agent.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString());
      if (message.type === 'presence' && message.question === 'q')
        resolve(message.clients.map(({ channel }: { channel: number }) => channel));
    });
    say(agent, { type: 'ask_presence', question: 'q' });
  });
}

/** Repeats the same request, many at a time; its answer does not matter. */
function posts(
  target: AttackerTarget,
  path: string,
  headers: Record<string, string>,
  body: Uint8Array<ArrayBuffer>,
): Promise<void> {
  return repeat(PARALLEL, async () => {
    await (await fetch(new URL(path, target.relay), { method: 'POST', headers, body })).arrayBuffer();
  });
}

export const COSTLY_WORK: readonly Attack[] = [
  {
    id: 'layouts',
    what: `an operator saves other tabs over ${LAYOUT_SAVERS} connections, as soon as they are saved`,
    run: async (target) => {
      let count = 0;
      for (let i = 0; i < LAYOUT_SAVERS; i++) {
        const peer = await socket(target, `/ws/workspaces/${ATTACKED}`, target.operator).catch(() => null);
        if (peer === null) continue;
        pingPong(peer, () => {
          const name = `tab ${count++}`;
          const tabs = Array.from({ length: 20 }, (_, at) => ({ session: `${at}-${name}`, name }));
          say(peer, { type: 'save_layout', request: `${count}`, layout: { tabs, active: null } });
        });
      }
      await pause(60_000);
    },
  },
  {
    id: 'handles',
    what: 'an agent says that a session has another number, without a pause',
    run: async (target) => {
      const agent = await socket(target, `/ws/agent/${HOSTILE}`, target.hostileAgent);
      const session = sessionInfo('s');
      say(agent, { type: 'hello', version: 1, epoch: 'e', sessions: [session], more: false });
      const client = await socket(target, `/ws/workspaces/${HOSTILE}`, target.hostileViewer);
      client.on('message', () => {});
      say(client, { type: 'reattach_session', request: 'r', session: 's', instance: 'i' });
      const channel = await channelOfRequest(agent);
      for (let handle = 1; ; handle++) {
        const message = { type: 'session_reattached', request: 'r', session, handle, inputOffset: 0 };
        say(agent, { type: 'to_client', channel, message });
        if (handle % 100 === 0) await pause(1);
      }
    },
  },
  {
    id: 'rows',
    what: `an agent renames ${SESSIONS} sessions, as fast as it may`,
    run: async (target) => {
      for (;;) {
        const agent = await socket(target, `/ws/agent/${HOSTILE}`, target.hostileAgent);
        const ended = new Promise((resolve) => agent.once('close', resolve));
        say(agent, { type: 'hello', version: 1, epoch: 'e', sessions: [], more: false });
        for (let at = 0; at < 8 * SESSIONS; at++)
          say(agent, {
            type: 'session_changed',
            session: sessionInfo(`s${at % SESSIONS}`, { name: `${at}` }),
          });
        await Promise.race([ended, pause(5_000)]);
        agent.terminate();
      }
    },
  },
  {
    id: 'streams',
    what: `a viewer follows a program that prints all the time over ${STREAMS} streams`,
    run: async (target) => {
      const id = await createSession(target, CHATTY);
      const path = `/api/workspaces/${ATTACKED}/sessions/${id}/stream`;
      const follow = async () => {
        const response = await fetch(new URL(path, target.relay), { headers: bearer(target.viewer) });
        for await (const _ of response.body ?? []);
      };
      await Promise.allSettled(Array.from({ length: STREAMS }, follow));
      await pause(60_000);
    },
  },
  {
    id: 'fan',
    what: `an agent sends one byte to ${FOLLOWERS} clients, without a pause`,
    run: async (target) => {
      const agent = await socket(target, `/ws/agent/${HOSTILE}`, target.hostileAgent);
      say(agent, { type: 'hello', version: 1, epoch: 'e', sessions: [], more: false });
      const path = `/ws/workspaces/${HOSTILE}`;
      for (let i = 0; i < FOLLOWERS; i++)
        (await socket(target, path, target.hostileViewer)).on('message', () => {});
      for (const channel of await channelsOf(agent)) say(agent, { type: 'subscribe', channel, handle: 1 });
      const frame = encodeFrame({ kind: 'output', channel: 0, handle: 1, offset: 0 }, new Uint8Array(1));
      for (;;) {
        for (let sent = 0; sent < 100; sent++) agent.send(frame);
        await pause(1);
      }
    },
  },
  {
    id: 'bodies',
    what: 'somebody without a credential posts 31 MiB to nowhere, sixteen at once',
    run: (target) => posts(target, '/nowhere', {}, new Uint8Array(31 * 1024 * 1024)),
  },
  {
    id: 'json',
    what: 'an operator types one and a half megabytes of JSON, sixteen at once',
    run: (target) => {
      const headers = { ...bearer(target.operator), 'Content-Type': 'application/json' };
      const body = new TextEncoder().encode(`{"data":"${'\\u0061'.repeat(250_000)}"}`);
      return posts(target, `/api/workspaces/${ATTACKED}/sessions/${target.quiet}/input`, headers, body);
    },
  },
  {
    id: 'nested json',
    what: 'an operator types lists in lists, a megabyte and a half of them, sixteen at once',
    run: (target) => {
      const headers = { ...bearer(target.operator), 'Content-Type': 'application/json' };
      const depth = 780_000;
      const body = new TextEncoder().encode(`${'['.repeat(depth)}${']'.repeat(depth)}`);
      return posts(target, `/api/workspaces/${ATTACKED}/sessions/${target.quiet}/input`, headers, body);
    },
  },
  {
    id: 'dials',
    what: 'an agent connects again and again, and sends nothing',
    run: (target) =>
      repeat(PARALLEL, async () => {
        (await socket(target, `/ws/agent/${HOSTILE}`, target.hostileAgent)).terminate();
      }),
  },
  {
    id: 'files',
    what: 'somebody without a credential asks for the largest file of the page, sixteen at once',
    run: async (target) => {
      const folder = new URL('../../dist/web/assets/', import.meta.url);
      const size = (name: string) => statSync(new URL(name, folder)).size;
      const [largest] = readdirSync(folder).sort((a, b) => size(b) - size(a));
      await repeat(PARALLEL, () => get(target, `/assets/${largest}`, ''));
    },
  },
  {
    id: 'slashes',
    what: 'somebody without a credential asks for paths of slashes, sixteen at once',
    run: async (target) => {
      const url = new URL(`/${'/'.repeat(120_000)}`, target.relay);
      await repeat(PARALLEL, async () => {
        await (await fetch(url)).arrayBuffer();
      });
    },
  },
];

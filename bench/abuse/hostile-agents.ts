/** Attacks by an agent on the relay that it is connected to, and on whoever watches its workspace. */
import { setTimeout as pause } from 'node:timers/promises';
import { deflateRawSync } from 'node:zlib';
import { WebSocket } from 'ws';
import { encodeFrame } from '../../protocol/frame.ts';
import { sessionInfo } from '../../test/support/scripted-session.ts';
import type { Attack } from './attack.ts';
import { get, repeat, say, socket, stopReading } from './attacker-tools.ts';
import { HOSTILE } from './scene.ts';

const MIB = 2 ** 20;

export const HOSTILE_AGENTS: readonly Attack[] = [
  {
    id: 'X2 bomb',
    what: 'an agent answers snapshots with 256 KiB of deflate that unpack to 256 MiB',
    run: async (target) => {
      const bomb = deflateRawSync(Buffer.alloc(256 * MIB));
      const agent = await socket(target, `/ws/agent/${HOSTILE}`, target.hostileAgent);
      say(agent, { type: 'hello', version: 1, epoch: 'e', sessions: [sessionInfo('s')], more: false });
      agent.on('message', (data: Buffer, isBinary: boolean) => {
        if (isBinary) return;
        const message = JSON.parse(data.toString());
        if (message.type !== 'from_client' || message.message.type !== 'take_snapshot') return;
        const { channel } = message;
        const { request, format } = message.message;
        const taken = {
          type: 'snapshot_taken',
          request,
          session: 's',
          handle: 1,
          format,
          offset: 0,
          cols: 80,
          rows: 24,
        };
        say(agent, { type: 'to_client', channel, message: { ...taken, bytes: bomb.length } });
        for (let at = 0; at < bomb.length; at += 65_536)
          agent.send(
            encodeFrame({ kind: 'snapshot', channel, handle: 1, offset: 0 }, bomb.subarray(at, at + 65_536)),
          );
      });
      await repeat(8, () =>
        get(target, `/api/workspaces/${HOSTILE}/sessions/s/snapshot`, target.hostileViewer),
      );
    },
  },
  {
    id: 'X2 promise',
    what: 'an agent announces snapshots of 16 MiB and sends nothing of them',
    run: async (target) => {
      const agent = await socket(target, `/ws/agent/${HOSTILE}`, target.hostileAgent);
      say(agent, { type: 'hello', version: 1, epoch: 'e', sessions: [sessionInfo('s')], more: false });
      agent.on('message', (data: Buffer, isBinary: boolean) => {
        const message = isBinary ? {} : JSON.parse(data.toString());
        if (message.type !== 'from_client' || message.message.type !== 'take_snapshot') return;
        const { channel } = message;
        const { request, format } = message.message;
        const of = { type: 'snapshot_taken', request, session: 's', handle: 1, format, offset: 0 };
        say(agent, { type: 'to_client', channel, message: { ...of, cols: 80, rows: 24, bytes: 16 * MIB } });
      });
      await repeat(8, () =>
        get(target, `/api/workspaces/${HOSTILE}/sessions/s/snapshot`, target.hostileViewer),
      );
    },
  },
  {
    id: 'X9 lists',
    what: 'an agent describes 1000 sessions in 60 KB each; viewers ask for lists and read none',
    run: async (target) => {
      const agent = await socket(target, `/ws/agent/${HOSTILE}`, target.hostileAgent);
      say(agent, { type: 'hello', version: 1, epoch: 'e', sessions: [], more: false });
      for (let i = 0; i < 1000 && agent.readyState === WebSocket.OPEN; i++) {
        say(agent, { type: 'session_changed', session: sessionInfo(`s${i}`, { title: 'x'.repeat(60_000) }) });
      }
      for (;;) {
        const viewer = await socket(target, `/ws/workspaces/${HOSTILE}`, target.hostileViewer).catch(
          () => null,
        );
        if (viewer !== null) stopReading(viewer);
        for (let i = 0; viewer !== null && i < 60; i++)
          say(viewer, { type: 'list_sessions', request: `${i}` });
        await pause(100);
      }
    },
  },
  {
    id: 'X9 http',
    what: 'a viewer asks for a list of 1000 long descriptions over HTTP, 64 at a time',
    run: async (target) => {
      const agent = await socket(target, `/ws/agent/${HOSTILE}`, target.hostileAgent);
      say(agent, { type: 'hello', version: 1, epoch: 'e', sessions: [], more: false });
      for (let i = 0; i < 1000; i++)
        say(agent, {
          type: 'session_changed',
          session: sessionInfo(`s${i}`, { cwd: `/${'x'.repeat(3500)}` }),
        });
      await repeat(64, () => get(target, `/api/workspaces/${HOSTILE}/sessions`, target.hostileViewer));
    },
  },
  {
    id: 'X9 one',
    what: 'a viewer asks over HTTP for the one of 1000 sessions that has a certain key, 64 at a time',
    run: async (target) => {
      const agent = await socket(target, `/ws/agent/${HOSTILE}`, target.hostileAgent);
      say(agent, { type: 'hello', version: 1, epoch: 'e', sessions: [], more: false });
      for (let i = 0; i < 1000; i++) say(agent, { type: 'session_changed', session: sessionInfo(`s${i}`) });
      await repeat(64, () => get(target, `/api/workspaces/${HOSTILE}/sessions?key=k`, target.hostileViewer));
    },
  },
  {
    id: 'X2 pieces',
    what: 'an agent sends snapshots in pieces of no bytes',
    run: async (target) => {
      const agent = await socket(target, `/ws/agent/${HOSTILE}`, target.hostileAgent);
      say(agent, { type: 'hello', version: 1, epoch: 'e', sessions: [sessionInfo('s')], more: false });
      const channels = new Set<number>();
      agent.on('message', (data: Buffer, isBinary: boolean) => {
        const told = isBinary ? {} : JSON.parse(data.toString());
        if (told.type === 'client_dropped') channels.delete(told.channel);
        if (told.type !== 'from_client' || told.message.type !== 'take_snapshot') return;
        const { request, format } = told.message;
        const of = { type: 'snapshot_taken', request, session: 's', handle: 1, format, offset: 0 };
        const message = { ...of, cols: 80, rows: 24, bytes: 1000 };
        say(agent, { type: 'to_client', channel: told.channel, message });
        channels.add(told.channel);
      });
      void repeat(8, () =>
        get(target, `/api/workspaces/${HOSTILE}/sessions/s/snapshot`, target.hostileViewer),
      );
      for (;;) {
        for (const channel of channels)
          agent.send(encodeFrame({ kind: 'snapshot', channel, handle: 1, offset: 0 }));
        await pause(8);
      }
    },
  },
  {
    id: 'X9 subscribe',
    what: 'an agent subscribes one client to thousands of sessions',
    run: async (target) => {
      for (;;) {
        const agent = await socket(target, `/ws/agent/${HOSTILE}`, target.hostileAgent);
        say(agent, { type: 'hello', version: 1, epoch: 'e', sessions: [], more: false });
        const viewer = await socket(target, `/ws/workspaces/${HOSTILE}`, target.hostileViewer).catch(
          () => null,
        );
        if (viewer === null) return pause(60_000);
        const channel = await new Promise<number>((resolve) => {
          agent.on('message', (data: Buffer) => {
            const message = JSON.parse(data.toString());
            const [client] = message.type === 'presence' ? message.clients : [];
            if (client !== undefined) resolve(client.channel);
          });
          say(agent, { type: 'ask_presence', question: 'q' });
        });
        for (let handle = 1; handle < 6500 && agent.readyState === WebSocket.OPEN; handle++)
          say(agent, { type: 'subscribe', channel, handle });
        await pause(50);
        agent.terminate();
        viewer.terminate();
      }
    },
  },
];

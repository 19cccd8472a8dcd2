/**
 * The attacks. Each worked once, and runs as fast as one process can until it is stopped. Refusals are expected and
 * ignored: what counts is the effect on everybody else.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { deflateRawSync } from 'node:zlib';
import { WebSocket } from 'ws';
import { decodeFrame, encodeFrame } from '../../protocol/frame.ts';
import { sessionInfo } from '../../test/support/scripted-session.ts';
import { createSession, get, repeat, say, socket } from './attacker-tools.ts';
import { COSTLY_WORK } from './costly-work.ts';
import { FLOODS } from './floods.ts';
import { ATTACKED, type AttackerTarget, HOSTILE } from './scene.ts';

export interface Attack {
  readonly id: string;
  readonly what: string;
  /** Whose memory may grow, and is watched in addition to the relay's. */
  run(target: AttackerTarget): Promise<void>;
}

const MIB = 2 ** 20;

export const ATTACKS: readonly Attack[] = [
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
    id: 'X2 html',
    what: 'a viewer asks for a styled history as html, eight at a time',
    run: (target) =>
      repeat(8, () =>
        get(
          target,
          `/api/workspaces/${ATTACKED}/sessions/${target.flood}/snapshot?format=html`,
          target.viewer,
        ),
      ),
  },
  {
    id: 'X3 pattern',
    what: 'a viewer waits for a pattern that is costly to match, 32 at a time',
    run: (target) => {
      const pattern = encodeURIComponent('[^a].{980}\t!|[^b].{980}\t!');
      const smaller = encodeURIComponent('([^a].{100}\t!|[^b].{100}\t!)');
      let turn = 0;
      return repeat(32, () =>
        get(
          target,
          `/api/workspaces/${ATTACKED}/sessions/${target.flood}/wait?for=text&timeout=20&pattern=${turn++ % 2 === 0 ? pattern : smaller}`,
          target.viewer,
        ),
      );
    },
  },
  {
    id: 'X4 reattach',
    what: 'a viewer reads nothing and attaches again and again',
    run: async (target) => {
      const viewer = await socket(target, `/ws/workspaces/${ATTACKED}`, target.viewer);
      (viewer as unknown as { _socket: { pause(): void } })._socket.pause();
      for (let i = 0; viewer.readyState === WebSocket.OPEN; i++) {
        say(viewer, {
          type: 'reattach_session',
          request: `${i}`,
          session: target.flood,
          instance: `i${i}`,
          from: 0,
        });
        say(viewer, { type: 'take_snapshot', request: `s${i}`, session: target.flood, format: 'html' });
        await pause(10);
      }
    },
  },
  {
    id: 'X4 forged',
    what: 'a viewer reads a flood on one connection, and acknowledges it on eight others that read nothing',
    run: async (target) => {
      const session = await createSession(target, 'yes "$(seq -s . 100)"');
      const attach = { type: 'reattach_session', request: 'r', session, answersReadChecks: true };
      const idle = await Promise.all(
        Array.from({ length: 8 }, () => socket(target, `/ws/workspaces/${ATTACKED}`, target.viewer)),
      );
      for (const [i, one] of idle.entries()) {
        say(one, { ...attach, instance: `idle-${i}` });
        (one as unknown as { _socket: { pause(): void } })._socket.pause();
      }
      const reader = await socket(target, `/ws/workspaces/${ATTACKED}`, target.viewer);
      reader.on('message', (data: Buffer, isBinary: boolean) => {
        if (!isBinary) {
          const message = JSON.parse(data.toString());
          if (message.type === 'read_check') say(reader, { type: 'read', mark: message.mark });
          return;
        }
        const { kind, handle, offset, payload } = decodeFrame(new Uint8Array(data));
        if (kind !== 'output') return;
        const ack = encodeFrame({ kind: 'ack', channel: 0, handle, offset: offset + payload.length });
        for (const one of [reader, ...idle]) if (one.readyState === WebSocket.OPEN) one.send(ack);
      });
      say(reader, { ...attach, instance: 'reader' });
      await pause(60_000);
    },
  },
  {
    id: 'X4 closed',
    what: 'a viewer asks without reading until it is closed, keeps the connection, and dials again, sixteen at a time',
    run: async (target) => {
      const tabs = Array.from({ length: 48 }, (_, i) => ({ session: `s-${i}`, name: '漢'.repeat(100) }));
      const operator = await socket(target, `/ws/workspaces/${ATTACKED}`, target.operator);
      say(operator, { type: 'save_layout', request: 's', layout: { tabs, active: null } });
      await repeat(16, async () => {
        const viewer = await socket(target, `/ws/workspaces/${ATTACKED}`, target.viewer);
        (viewer as unknown as { _socket: { pause(): void } })._socket.pause();
        for (let i = 0; i < 600; i++) say(viewer, { type: 'load_layout', request: `${i}` });
        await pause(100);
      });
    },
  },
  {
    id: 'X4 typing',
    what: 'four terminals in single-terminal mode are flooded, read nothing, and type a space now and then',
    run: async (target) => {
      const terminals = await Promise.all(
        Array.from({ length: 4 }, () =>
          socket(target, `/terminal/ws?workspace=${ATTACKED}&cols=80&rows=24`, target.operator),
        ),
      );
      for (const terminal of terminals) {
        terminal.send('yes\r');
        (terminal as unknown as { _socket: { pause(): void } })._socket.pause();
      }
      for (;;) {
        await pause(500);
        for (const terminal of terminals) if (terminal.readyState === WebSocket.OPEN) terminal.send(' ');
      }
    },
  },
  {
    id: 'X5 ledger',
    what: 'a viewer makes instances to push out those of operators',
    run: async (target) => {
      const viewer = await socket(target, `/ws/workspaces/${ATTACKED}`, target.viewer);
      for (let i = 0; viewer.readyState === WebSocket.OPEN; i++) {
        const attach = { type: 'reattach_session', request: `${i}`, session: target.quiet, hidden: true };
        say(viewer, { ...attach, instance: `flush-${i}`, typed: 1000, once: `digest-${i}` });
        await pause(12);
      }
    },
  },
  {
    id: 'X6 queries',
    what: 'a program asks for the cursor without an end and reads no answer',
    run: async (target) => {
      await createSession(
        target,
        'stty raw -echo; q=$(printf \'\\033[6n%.0s\' $(seq 1000)); while :; do printf %s "$q"; done',
      );
      await pause(60_000);
    },
  },
  {
    id: 'X7 head',
    what: 'a viewer sends HEAD to a stream, eight at a time',
    run: (target) =>
      repeat(8, () =>
        get(target, `/api/workspaces/${ATTACKED}/sessions/${target.flood}/stream`, target.viewer, 'HEAD'),
      ),
  },
  {
    id: 'X8 seats',
    what: 'one viewer token opens sockets and keeps them',
    run: async (target) => {
      for (;;) {
        await socket(target, `/ws/workspaces/${ATTACKED}`, target.viewer).catch(() => {});
        await pause(5);
      }
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
        if (viewer !== null) (viewer as unknown as { _socket: { pause(): void } })._socket.pause();
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
  {
    id: 'X9 audit',
    what: 'an operator reads the audit trail, twenty at a time',
    run: (target) =>
      repeat(20, () => get(target, `/api/workspaces/${ATTACKED}/audit?limit=500`, target.operator)),
  },
  {
    id: 'X14 refresh',
    what: 'a viewer has the descriptions of all sessions refreshed as often as it may',
    run: async (target) => {
      const viewer = await socket(target, `/ws/workspaces/${ATTACKED}`, target.viewer);
      for (let i = 0; viewer.readyState === WebSocket.OPEN; i++) {
        say(viewer, { type: 'refresh_sessions', request: `${i}` });
        await pause(12);
      }
    },
  },
  {
    id: 'tokens',
    what: 'somebody tries tokens, sixteen at a time',
    run: (target) => {
      let tried = 0;
      return repeat(16, () =>
        get(
          target,
          `/api/workspaces/${ATTACKED}/health`,
          `${target.viewer.slice(0, -6)}${(tried++ % 90_000) + 10_000}`,
        ),
      );
    },
  },
  ...FLOODS,
  ...COSTLY_WORK,
];

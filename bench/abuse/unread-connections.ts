/** Attacks by clients that are sent much and read nothing of it. */
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { decodeFrame, encodeFrame } from '../../protocol/frame.ts';
import type { Attack } from './attack.ts';
import { createSession, repeat, say, socket, stopReading } from './attacker-tools.ts';
import { ATTACKED } from './scene.ts';

export const UNREAD_CONNECTIONS: readonly Attack[] = [
  {
    id: 'X4 reattach',
    what: 'a viewer reads nothing and attaches again and again',
    run: async (target) => {
      const viewer = await socket(target, `/ws/workspaces/${ATTACKED}`, target.viewer);
      stopReading(viewer);
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
        stopReading(one);
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
        stopReading(viewer);
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
        stopReading(terminal);
      }
      for (;;) {
        await pause(500);
        for (const terminal of terminals) if (terminal.readyState === WebSocket.OPEN) terminal.send(' ');
      }
    },
  },
];

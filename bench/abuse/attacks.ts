/**
 * The attacks. Each worked once. Refusals are expected and ignored: what counts is the effect on everybody else.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Attack } from './attack.ts';
import { createSession, get, repeat, say, socket } from './attacker-tools.ts';
import { COSTLY_WORK } from './costly-work.ts';
import { FLOODS } from './floods.ts';
import { HOSTILE_AGENTS } from './hostile-agents.ts';
import { OWNER_REQUESTS } from './owner-requests.ts';
import { RAW_REQUESTS } from './raw-requests.ts';
import { ATTACKED } from './scene.ts';
import { SEARCHES } from './searches.ts';
import { UNREAD_CONNECTIONS } from './unread-connections.ts';

export const ATTACKS: readonly Attack[] = [
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
  ...HOSTILE_AGENTS,
  ...UNREAD_CONNECTIONS,
  ...FLOODS,
  ...COSTLY_WORK,
  ...RAW_REQUESTS,
  ...OWNER_REQUESTS,
  ...SEARCHES,
];

/** Puts the client together from what a browser has to offer. */
import type { Clock } from '../../protocol/clock.ts';
import { WorkspaceClient } from '../client/workspace-client.ts';
import { browserDial } from './browser-dial.ts';
import { inflate } from './inflate.ts';
import { wakeOnReturn } from './wake-on-return.ts';
import { WorkerClock } from './worker-clock.ts';

/** Connects for as long as the page lives. */
export function connect(workspace: string): WorkspaceClient {
  const clock = startClock();
  const client = new WorkspaceClient({
    dial: browserDial(workspace),
    inflate,
    clock,
    random: Math.random,
    watched: () => document.visibilityState === 'visible',
    instance: newInstance(),
  });
  wakeOnReturn(() => client.wake(), clock);
  return client;
}

function startClock(): Clock {
  return new WorkerClock(new Worker(new URL('./timer-worker.ts', import.meta.url), { type: 'module' }));
}

/** 128 random bits. `crypto.randomUUID` would do, but only https and loopback have it. */
function newInstance(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Puts the client together from what a browser has to offer. */
import type { Clock } from '../../protocol/clock.ts';
import { WorkspaceClient } from '../client/workspace-client.ts';
import { browserDial, type Place } from './browser-dial.ts';
import { inflate } from './inflate.ts';
import { randomId } from './random-id.ts';
import { wakeOnReturn } from './wake-on-return.ts';
import { WorkerClock } from './worker-clock.ts';

export interface Connected {
  readonly client: WorkspaceClient;
  readonly clock: Clock;
  leave(): void;
}

export function connect(place: Place): Connected {
  const thread = startThread();
  const clock = new WorkerClock(thread);
  const client = new WorkspaceClient({
    dial: browserDial(place),
    inflate,
    clock,
    random: Math.random,
    watched: () => document.visibilityState === 'visible',
    renewable: place.getToken !== undefined,
    instance: randomId(),
  });
  const stopWaking = wakeOnReturn({ wake: () => client.wake(), doubt: () => client.probe() }, clock);
  return {
    client,
    clock,
    leave: () => {
      stopWaking();
      client.leave();
      thread.terminate();
    },
  };
}

function startThread(): Worker {
  return new Worker(new URL('./timer-worker.ts', import.meta.url), { type: 'module' });
}

/** A client that sends requests, and the relay that a test plays for it on an in-memory socket. */
import { beforeEach } from 'vitest';
import { NoAnswer } from '../../client/requests/requests.ts';
import { WorkspaceClient } from '../../client/workspace-client.ts';
import { Refusal } from '../../protocol/errors.ts';
import type { ClientMessage, ClientMessageOf } from '../../protocol/messages/client-message.ts';
import type { AgentPresence, ServerMessage } from '../../protocol/messages/server-message.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakeNetwork } from '../support/socket-pair.ts';

export const HANDLE = 7;
export const WITHIN = { withinMs: 5_000 };

export let clock: FakeClock;
export let network: FakeNetwork;
export let client: WorkspaceClient;

/** Called once at the top of a file: every test gets its own client, network and clock. */
export function startsClients(): void {
  beforeEach(() => {
    clock = new FakeClock();
    network = new FakeNetwork();
    client = new WorkspaceClient({
      ...{ dial: network.dial, clock, random: () => 0.5, watched: () => true, instance: 'key' },
      inflate: async (bytes) => bytes,
    });
  });
}

export const says = (message: ServerMessage) => network.latest.send(JSON.stringify(message));

export function connects(
  generation = 1,
  state: 'online' | 'offline' = 'online',
  more: Partial<AgentPresence> = {},
): void {
  network.latest.accept();
  agentIs(state, generation, more);
}

export function agentIs(
  state: 'online' | 'offline',
  generation: number,
  more: Partial<AgentPresence> = {},
): void {
  says({ type: 'agent_state', agent: { state, since: null, epoch: 'epoch-1', generation, ...more } });
}

/** The newest message of a type that the relay was sent on this connection. */
export function asked<T extends ClientMessage['type']>(
  type: T,
): ClientMessageOf<T> & { readonly request: string } {
  const messages = network.latest.heard.flatMap((frame) =>
    typeof frame === 'string' && frame !== 'ping' ? [JSON.parse(frame) as ClientMessage] : [],
  );
  return messages.filter((message) => message.type === type).at(-1) as never;
}

/** What follows from the events so far has happened: promises that depend on each other are settled. */
export const flushed = () => new Promise<void>((resolve) => setImmediate(resolve));

/** How a promise was settled, in words. */
export async function settled(outcome: Promise<unknown>): Promise<string> {
  try {
    return `done ${JSON.stringify(await outcome) ?? ''}`.trim();
  } catch (error) {
    if (error instanceof NoAnswer) return 'no answer';
    return error instanceof Refusal ? error.code : String(error);
  }
}

/** Builds the client library for Node. */
import { randomBytes } from 'node:crypto';
import { WorkspaceClient } from '../../client/workspace-client.ts';
import { relayDial } from '../../node/relay-socket.ts';
import { systemClock } from '../../node/system-clock.ts';
import { CLOSE, closeSentence } from '../../protocol/close-codes.ts';
import type { Dial } from '../../protocol/connection.ts';
import { Refusal } from '../../protocol/errors.ts';
import { CommandError, EXIT } from '../command-line/exit-codes.ts';
import type { ClientSettings } from './client-settings.ts';
import { inflateInNode } from './inflate.ts';

/** Long enough for a relay that restarts, short enough for a user who mistyped an address. */
const CONNECT_WITHIN_MS = 5_000;

/** A client, and why its last connection ended, as reported by Holdfast or the system. */
export interface CliConnection {
  readonly client: WorkspaceClient;
  readonly trouble: () => ConnectionEnd | null;
}

interface ConnectionEnd {
  readonly code: number;
  readonly sentence: string;
}

/** Begins to connect; `reached` tells the outcome. The caller must let the client leave. */
export function connectToWorkspace({
  relay,
  workspace,
  readToken,
  isRenewable,
}: ClientSettings): CliConnection {
  let trouble: ConnectionEnd | null = null;
  const dial = relayDial(relay, `/ws/workspaces/${workspace}?client=cli`, readToken);
  const noted: Dial = (events) =>
    dial({
      ...events,
      closed: (code, reason) => {
        trouble = { code, sentence: reason || closeSentence(code) };
        events.closed(code, reason);
      },
    });
  const client = new WorkspaceClient({
    dial: noted,
    inflate: inflateInNode,
    clock: systemClock,
    random: Math.random,
    watched: () => true,
    renewable: isRenewable,
    instance: randomBytes(16).toString('hex'),
  });
  return { client, trouble: () => trouble };
}

/** Resolves once the relay has sent its first message; rejects with the message to show if it does not. */
export function reached({ client, trouble }: CliConnection, relay: URL): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      cancel();
      stop();
      act();
    };
    const look = () => {
      const { state } = client;
      const why = trouble();
      if (state.name === 'live') settle(resolve);
      // With a token that may be replaced, the client dials for ever; here a user is waiting.
      else if (state.name === 'refused' || why?.code === CLOSE.unauthorized)
        settle(() => reject(refusedBy(why ?? { code: CLOSE.abnormal, sentence: 'The relay refused.' })));
    };
    const cancel = systemClock.after(CONNECT_WITHIN_MS, () =>
      settle(() => reject(new CommandError(EXIT.unavailable, outOfReach(relay, trouble())))),
    );
    const stop = client.onChange(look);
    look();
  });
}

/** Resolves once the machine is connected, or the connection is closed for good. */
export function untilOnline(client: WorkspaceClient): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      const { state } = client;
      const isOnline = state.name === 'live' && state.agent.state === 'online';
      if (!isOnline && state.name !== 'refused') return;
      stop();
      resolve();
    };
    const stop = client.onChange(look);
    look();
  });
}

/** Runs `use` with a connected client, and disconnects afterwards. */
export async function withClient<T>(
  settings: ClientSettings,
  use: (client: WorkspaceClient, connected: CliConnection) => Promise<T>,
): Promise<T> {
  const connected = connectToWorkspace(settings);
  try {
    await reached(connected, settings.relay);
    return await use(connected.client, connected);
  } catch (error) {
    throw error instanceof Refusal ? refusalOf(error) : error;
  } finally {
    connected.client.leave();
  }
}

/** Turns a refusal of the relay or the agent into a message with an exit code. */
export function refusalOf({ code, message }: Refusal): CommandError {
  if (code === 'agent_offline') return new CommandError(EXIT.unavailable, message);
  if (code === 'forbidden' || code === 'unauthorized') return new CommandError(EXIT.notAllowed, message);
  if (code === 'session_missing') return new CommandError(EXIT.noSession, message);
  return new CommandError(EXIT.failed, message);
}

export function refusedBy({ code, sentence }: ConnectionEnd): CommandError {
  const isOurs = code === CLOSE.unauthorized || code === CLOSE.forbidden || code === CLOSE.notFound;
  return new CommandError(isOurs ? EXIT.notAllowed : EXIT.failed, sentence);
}

function outOfReach(relay: URL, trouble: ConnectionEnd | null): string {
  return `the relay at ${relay.origin} cannot be reached (${trouble?.sentence ?? 'no answer'}); check the address and the network`;
}

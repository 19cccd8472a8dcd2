/**
 * The connection of a client: keeps it open, knows whether relay and agent answer and how fast, and passes on what
 * arrives.
 */

import type { Clock } from '../protocol/clock.ts';
import { CLOSE, closeSentence } from '../protocol/close-codes.ts';
import { Connection, type ConnectionState, type Dial, type WireFrame } from '../protocol/connection.ts';
import { ProtocolError } from '../protocol/errors.ts';
import { decodeFrame, type Frame } from '../protocol/frame.ts';
import type { ClientMessage } from '../protocol/messages/client-message.ts';
import {
  type AgentPresence,
  FROM_THE_RELAY,
  parseServerMessage,
  type ServerMessage,
} from '../protocol/messages/server-message.ts';
import { ClientAccess } from './access/client-access.ts';
import { AgentProbe, type AgentVerdict } from './agent-probe.ts';
import type { AgentState } from './attachments.ts';
import { RoundTrip } from './round-trip.ts';
import { SendPace } from './send-pace.ts';

export type ClientState =
  | { readonly name: 'connecting' }
  | { readonly name: 'live'; readonly agent: AgentPresence }
  | { readonly name: 'waiting'; readonly retryAt: number; readonly why: string }
  | { readonly name: 'refused'; readonly code: number; readonly why: string };

/** Round-trip times in milliseconds; null until measured. */
export interface Statistics {
  /** To the relay, measured by heartbeats. */
  readonly toRelayMs: number | null;
  /** Through the relay to the agent and its terminal, measured by input. */
  readonly toAgentMs: number | null;
}

export interface LinkOptions {
  readonly dial: Dial;
  readonly clock: Clock;
  readonly random: () => number;
  readonly watched: () => boolean;
  /** Whether the next attempt may have another credential, so that 4401 is not final. */
  readonly renewable?: boolean;
  /** How soon after the last traffic to check that the relay still knows this connection; a minute by default. */
  readonly proveAfterMs?: number;
}

interface LinkEvents {
  newRequest(): string;
  /** Sends the agent a request that it answers at once. */
  askAgent(): void;
  /** Requests on an earlier link are never answered. Told before `changed`, whose listeners send new ones. */
  abandoned(): void;
  /** The first message on every connection, or a change of the agent's link: each is a reconnect. [RL4] */
  agentChanged(isOnline: boolean): void;
  connectionLost(since: number | undefined, isForGood: boolean): void;
  changed(): void;
  message(message: ServerMessage): void;
  frame(frame: Frame): void;
}

export class WorkspaceLink {
  readonly #events: LinkEvents;
  readonly #connection: Connection;
  readonly #pace: SendPace;
  readonly #probe: AgentProbe;
  readonly #toRelay: RoundTrip;
  readonly #toAgent: RoundTrip;
  #state: ClientState = { name: 'connecting' };
  readonly access = new ClientAccess();

  constructor(options: LinkOptions, events: LinkEvents) {
    const { clock, dial, random, watched, renewable = false, proveAfterMs } = options;
    this.#events = events;
    this.#toRelay = new RoundTrip(clock, events.changed);
    this.#toAgent = new RoundTrip(clock, events.changed);
    this.#probe = new AgentProbe({ clock, ask: events.askAgent, changed: events.changed });
    this.#pace = new SendPace(clock, (frame) => this.#connection.send(frame));
    this.#connection = new Connection({
      ...{ dial, clock, random, watched, renewable },
      stateChanged: (state) => this.#connectionChanged(state),
      received: (frame) => this.#received(frame),
      // The relay answers this itself, for every role.
      question: () => JSON.stringify({ type: 'load_layout', request: events.newRequest() }),
      ...(proveAfterMs === undefined ? {} : { proveAfterMs }),
      answered: (roundTripMs) => {
        this.#toRelay.measured(roundTripMs);
        events.changed();
      },
    });
  }

  get state(): ClientState {
    return this.#state;
  }

  get statistics(): Statistics {
    return { toRelayMs: this.#toRelay.ms, toAgentMs: this.#toAgent.ms };
  }

  get agentVerdict(): AgentVerdict {
    return this.#probe.verdict;
  }

  get agentState(): AgentState {
    if (this.#state.name === 'live') return this.#state.agent.state;
    return this.#state.name === 'refused' ? 'left' : 'unknown';
  }

  /** False when not connected. */
  sendMessage(message: ClientMessage): boolean {
    return this.#connection.send(JSON.stringify(message));
  }

  sendFrame(frame: Uint8Array<ArrayBuffer>): void {
    this.#pace.send(frame);
  }

  wake(): void {
    this.#connection.retryNow();
    this.#connection.probe();
    if (this.agentState === 'online') this.#probe.probe();
  }

  probeRelay(): void {
    this.#connection.probe();
  }

  probeAgent(): void {
    this.#probe.probe();
  }

  agentAnswered(roundTripMs: number): void {
    this.#toAgent.measured(roundTripMs);
  }

  renewed(): void {
    this.#connection.renewed();
  }

  leave(): void {
    this.#connection.close();
  }

  /** A protocol violation by the relay closes the connection for good: reconnecting would reach the same relay. */
  broken(error: ProtocolError): void {
    this.#connection.close(CLOSE.protocolError, error.message);
  }

  #received(frame: WireFrame): void {
    try {
      if (typeof frame === 'string') return this.#message(parseServerMessage(frame));
      const data = decodeFrame(frame);
      this.#probe.heard();
      this.#events.frame(data);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.broken(error);
    }
  }

  #message(message: ServerMessage): void {
    // An `error` may come from either the relay or the agent.
    if (message.type !== 'error' && !FROM_THE_RELAY.has(message.type)) this.#probe.heard();
    if (message.type === 'agent_state') {
      this.access.told(message);
      return this.#agentChanged(message.agent);
    }
    if (message.type === 'read_check') return void this.sendMessage({ type: 'read', mark: message.mark });
    if (message.type === 'error' && message.code === 'slow_down' && message.request === undefined)
      return this.#pace.slowDown(message.retryAfterMs ?? 0);
    this.#events.message(message);
  }

  #agentChanged(agent: AgentPresence): void {
    const isOther = this.#state.name === 'live' && this.#state.agent.generation !== agent.generation;
    if (isOther || agent.state === 'offline') this.#events.abandoned();
    this.#pace.reset();
    this.#probe.reset();
    this.#enter({ name: 'live', agent });
    this.#events.agentChanged(agent.state === 'online');
  }

  #connectionChanged(state: ConnectionState): void {
    if (state.name === 'open') return; // `live` begins with the relay's first message
    this.#pace.reset();
    this.#probe.reset();
    this.#events.connectionLost(state.name === 'waiting' ? state.since : undefined, state.name === 'closed');
    this.#events.abandoned();
    if (state.name === 'dialing') this.#enter({ name: 'connecting' });
    if (state.name === 'waiting')
      this.#enter({ name: 'waiting', retryAt: state.retryAt, why: closeSentence(state.code) });
    if (state.name === 'closed') {
      this.#toRelay.stop();
      this.#toAgent.stop();
      this.#enter({ name: 'refused', code: state.code, why: state.reason || closeSentence(state.code) });
    }
  }

  #enter(state: ClientState): void {
    this.#state = state;
    this.#events.changed();
  }
}

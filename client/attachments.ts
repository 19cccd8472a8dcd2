/** The sessions that a client shows or types into. Each repeats its attach request after every reconnect. */
import type { Frame } from '../protocol/frame.ts';
import type { ServerMessage } from '../protocol/messages/server-message.ts';
import type { InputRequest } from './requests/input-request.ts';
import type { SessionExchange } from './session-exchange.ts';

/** Whether the agent can be asked now, is known to be away, may be asked once connected, or never again. */
export type AgentState = 'online' | 'offline' | 'unknown' | 'left';

export class Attachments {
  readonly #sessions = new Map<string, SessionExchange>();
  readonly #inputs = new Set<InputRequest>();

  get(id: string): SessionExchange | undefined {
    return this.#sessions.get(id);
  }

  show(session: SessionExchange): void {
    this.#sessions.set(session.id, session);
  }

  /** False when the session was not shown. */
  remove(id: string): boolean {
    const session = this.#sessions.get(id);
    session?.detached();
    session?.input.ended();
    return this.#sessions.delete(id);
  }

  /** Runs an input request to its end. */
  async type(input: InputRequest, agent: AgentState): Promise<void> {
    // Both would attach with the same instance, and the agent would take the input of one for that of the other.
    if (this.#sessions.has(input.id))
      throw new Error('invariant: typed once into a session that is attached');
    this.#inputs.add(input);
    const outcome = input.outcome();
    if (agent === 'online') input.attach();
    if (agent === 'offline') input.offline();
    if (agent === 'left') input.left();
    await outcome.finally(() => this.#inputs.delete(input));
  }

  /** A session that is live, if any. */
  get anyLive(): string | undefined {
    return [...this.#sessions.values()].find(({ state }) => state.name === 'live')?.id;
  }

  recolour(): void {
    for (const session of this.#sessions.values()) session.recolour();
  }

  /** The agent is connected, perhaps again. */
  attachAll(): void {
    for (const session of this.#sessions.values()) session.attach();
    for (const input of this.#inputs) input.attach();
  }

  /** The agent has disconnected. */
  agentLeft(): void {
    for (const session of this.#sessions.values()) session.detached();
    for (const input of this.#inputs) input.offline();
  }

  /** The connection to the relay was lost, at `since` if that is noticed only now; for good, if it is not dialled again. */
  connectionLost(since: number | undefined, isForGood: boolean): void {
    for (const session of this.#sessions.values()) session.detached(since);
    for (const input of this.#inputs) isForGood ? input.left() : input.detached();
  }

  receive(message: ServerMessage): void {
    const id = sessionOf(message);
    if (id === undefined) return;
    this.#sessions.get(id)?.receive(message);
    for (const input of this.#inputs) if (input.id === id) input.receive(message);
  }

  receiveFrame(frame: Frame): void {
    for (const attached of [...this.#sessions.values(), ...this.#inputs])
      if (attached.handle === frame.handle) attached.receiveFrame(frame);
  }
}

function sessionOf(message: ServerMessage): string | undefined {
  if (!('session' in message) || message.session === undefined) return undefined;
  return typeof message.session === 'string' ? message.session : message.session.id;
}

/**
 * Agents that were challenged and have not proven their key yet. They have no rights: they replace no agent and receive
 * nothing, and any message but a proof closes them. Like the switchboard, this is a cache of the sockets' attachments.
 * Rules AK4, AK5.
 */
import { PENDING_AGENTS_MAX, PENDING_PINGS_MAX, PROVE_WITHIN_MS } from '../../protocol/limits.ts';
import type { PendingAgent } from './peer.ts';

const NOBODY: readonly never[] = [];

export class PendingAgents<S> {
  /** Oldest first. */
  readonly #pending = new Map<S, PendingAgent>();
  /** How many heartbeats each has sent. */
  readonly #pings = new Map<S, number>();

  add(socket: S, pending: PendingAgent): void {
    this.#pending.set(socket, pending);
  }

  of(socket: S): PendingAgent | undefined {
    return this.#pending.get(socket);
  }

  /** False when the socket is not a pending agent, or no longer one. */
  remove(socket: S): boolean {
    this.#pings.delete(socket);
    return this.#pending.delete(socket);
  }

  /** Counts a heartbeat. False when the agent has sent more than it can need. */
  mayPing(socket: S): boolean {
    const pings = (this.#pings.get(socket) ?? 0) + 1;
    this.#pings.set(socket, pings);
    return pings <= PENDING_PINGS_MAX;
  }

  all(): (readonly [socket: S, pending: PendingAgent])[] {
    return [...this.#pending];
  }

  /** The agents to close to make room for one more. */
  surplus(): S[] {
    const byAge = this.all().sort(([, a], [, b]) => a.connectedAt - b.connectedAt);
    return byAge.slice(0, Math.max(0, byAge.length - PENDING_AGENTS_MAX + 1)).map(([socket]) => socket);
  }

  /** Agents whose time is up. Checked at every event; between events they cost nothing. */
  late(now: number): readonly S[] {
    if (this.#pending.size === 0) return NOBODY; // runs for every frame
    return this.all().flatMap(([socket, { connectedAt }]) =>
      now - connectedAt >= PROVE_WITHIN_MS ? [socket] : [],
    );
  }
}

/**
 * Agents that were challenged and have proven nothing yet. They are nobody: they replace no agent, hear nothing, and
 * anything but a proof closes them. Like the switchboard a cache of what is in the sockets' attachments. Rules AK4, AK5.
 */
import { PENDING_AGENTS_MAX, PENDING_PINGS_MAX, PROVE_WITHIN_MS } from '../../protocol/limits.ts';
import type { PendingAgent } from './peer.ts';

const NOBODY: readonly never[] = [];

export class PendingAgents<S> {
  /** The oldest first. */
  readonly #pending = new Map<S, PendingAgent>();
  /** How many heartbeats each has sent. */
  readonly #pings = new Map<S, number>();

  add(socket: S, pending: PendingAgent): void {
    this.#pending.set(socket, pending);
  }

  of(socket: S): PendingAgent | undefined {
    return this.#pending.get(socket);
  }

  /** False when it was not, or is no longer, among them. */
  remove(socket: S): boolean {
    this.#pings.delete(socket);
    return this.#pending.delete(socket);
  }

  /** One has sent a heartbeat. False when it has sent more than it can need. */
  mayPing(socket: S): boolean {
    const pings = (this.#pings.get(socket) ?? 0) + 1;
    this.#pings.set(socket, pings);
    return pings <= PENDING_PINGS_MAX;
  }

  all(): (readonly [socket: S, pending: PendingAgent])[] {
    return [...this.#pending];
  }

  /** Those that must go so that there is room for one more. */
  surplus(): S[] {
    const byAge = this.all().sort(([, a], [, b]) => a.connectedAt - b.connectedAt);
    return byAge.slice(0, Math.max(0, byAge.length - PENDING_AGENTS_MAX + 1)).map(([socket]) => socket);
  }

  /** Those whose time is up. Looked for at every event; until the next one they cost nothing. */
  late(now: number): readonly S[] {
    if (this.#pending.size === 0) return NOBODY; // every frame passes here
    return this.all().flatMap(([socket, { connectedAt }]) =>
      now - connectedAt >= PROVE_WITHIN_MS ? [socket] : [],
    );
  }
}

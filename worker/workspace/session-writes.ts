/** Writes what the agent reports of its sessions to the registry, within the agent's write limit. Rules RL6, RL18. */
import { CLOSE } from '../../protocol/close-codes.ts';
import { ROWS_BURST_MAX, ROWS_PER_S_MAX } from '../../protocol/limits.ts';
import type { SessionInfo } from '../../protocol/messages/session-info.ts';
import { Bucket, type BucketSize } from '../metering/bucket.ts';
import { ROW_COST, type Turn } from '../metering/turn.ts';
import type { Switchboard } from '../peers/switchboard.ts';
import { log } from '../platform/log.ts';
import type { Registry } from '../registry/registry.ts';
import { differsInPassing } from '../registry/session-row.ts';
import type { Expel } from './outbox.ts';

const ROWS: BucketSize = { capacity: ROWS_BURST_MAX, refillPerS: ROWS_PER_S_MAX };

/** How many rows are checked in the time of one unit of a turn when an inventory is complete. */
const SETTLED_ROWS_PER_UNIT = 16;

interface SessionWritesParts {
  readonly registry: Registry;
  readonly board: Switchboard<WebSocket>;
  readonly turn: Turn;
  readonly expel: Expel;
}

type ToldListener = (before: SessionInfo | null, told: SessionInfo) => void;

export class SessionWrites {
  readonly #registry: Registry;
  readonly #board: Switchboard<WebSocket>;
  readonly #turn: Turn;
  readonly #expel: Expel;
  readonly #rows: Bucket;
  #told: ToldListener = () => {};

  constructor({ registry, board, turn, expel }: SessionWritesParts, now: number) {
    this.#registry = registry;
    this.#board = board;
    this.#turn = turn;
    this.#expel = expel;
    this.#rows = new Bucket(now, ROWS);
  }

  /** Calls `told` with what was known of a session and what is stored of it now. There is one listener. */
  onTold(told: ToldListener): void {
    this.#told = told;
  }

  /** Stores what the agent reports of a session. False when the agent was closed, because it reports too much. [RL18] */
  keep(session: SessionInfo, generation: number, now: number): boolean {
    const { sessions } = this.#registry;
    const before = sessions.get(session.id, now);
    this.#rows.take(0, now);
    if (this.#rows.isEmpty && differsInPassing(before, session)) return true;
    if (this.#rows.take(1, now) === 'over') {
      this.#expelAgent();
      return false;
    }
    this.#turn.spend(ROW_COST, now);
    sessions.put(session, generation);
    this.#told(before, session);
    return true;
  }

  /** The agent has named all its sessions; those it did not name are lost. [RL6] */
  settle(generation: number, now: number): void {
    const { sessions } = this.#registry;
    this.#turn.spend(2 * ROW_COST + sessions.size / SETTLED_ROWS_PER_UNIT, now);
    sessions.reconcile(generation, now);
  }

  #expelAgent(): void {
    log('warn', 'agent_too_fast', { code: 'rows' });
    const { agent } = this.#board;
    if (agent !== null) this.#expel(agent, CLOSE.tooMany, 'Too many session changes in too short a time.');
  }
}

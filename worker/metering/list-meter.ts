/** Limits the bytes of lists that each token is sent, over all its connections and HTTP. Rule RL16. */
import {
  COMMAND_LIST_MAX_BYTES,
  LISTS_BURST_MAX_BYTES,
  LISTS_PER_S_MAX_BYTES,
  METERED_TOKENS_MAX,
} from '../../protocol/limits.ts';
import { type Owner, ownerKey } from '../peers/owner.ts';
import type { BucketSize } from './bucket.ts';
import { TokenMeter } from './token-meter.ts';
import type { Turn } from './turn.ts';

const LISTS: BucketSize = { capacity: LISTS_BURST_MAX_BYTES, refillPerS: LISTS_PER_S_MAX_BYTES };

/** How many bytes of a list are built and sent in the time of one unit of a turn. */
const LIST_BYTES_PER_UNIT = 2048;

/**
 * A list of commands counts so many times: the agent sends it, and it passes the object twice. Counted once, a viewer that
 * asked without a pause used up the workspace's turn for seconds, and keys of operators waited for half a second.
 */
const COMMANDS_WEIGHT = 4;

export class ListMeter {
  readonly #meter = new TokenMeter(LISTS);
  readonly #turn: Turn;
  /** Lists of commands that were asked for and not answered yet, by token; where not zero, oldest first. */
  readonly #asked = new Map<string, number>();

  constructor(turn: Turn) {
    this.#turn = turn;
  }

  /** How long this token must wait before it asks for another list; 0 when it need not. */
  waitMs(owner: Owner, now: number): number {
    return this.#meter.waitMs(owner, now);
  }

  /** Charges a list, or a page of one, to this token and to the workspace's turn. */
  took(owner: Owner, bytes: number, now: number): void {
    this.#meter.take(owner, bytes, now);
    this.#turn.spend(bytes / LIST_BYTES_PER_UNIT, now);
  }

  /** This token has asked the agent for a list of commands. It counts with the greatest length until it is answered. */
  asked(owner: Owner, now: number): void {
    this.#meter.take(owner, COMMAND_LIST_MAX_BYTES, now);
    const key = ownerKey(owner);
    this.#asked.set(key, (this.#asked.get(key) ?? 0) + 1);
    const [oldest] = this.#asked.keys();
    if (this.#asked.size > METERED_TOKENS_MAX && oldest !== undefined) this.#asked.delete(oldest);
  }

  /** The agent has answered with a list of commands, or with a page of one. */
  answered(owner: Owner, bytes: number, isLast: boolean, now: number): void {
    this.#meter.take(owner, (COMMANDS_WEIGHT - 1) * bytes, now);
    this.took(owner, bytes, now);
    if (isLast && this.#wasAsked(owner)) this.#meter.take(owner, -COMMAND_LIST_MAX_BYTES, now);
  }

  /** False for an answer that nobody asked for: an agent must not give its clients lists for nothing. */
  #wasAsked(owner: Owner): boolean {
    const key = ownerKey(owner);
    const asked = this.#asked.get(key) ?? 0;
    if (asked > 1) this.#asked.set(key, asked - 1);
    else this.#asked.delete(key);
    return asked > 0;
  }
}

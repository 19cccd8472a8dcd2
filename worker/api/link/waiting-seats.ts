/**
 * Limits how many requests of one token wait for the agent: for a run, a command or attention. Each holds a connection to
 * the workspace for as long as it waits, and otherwise costs nothing. Rule RL24.
 */
import type { Context } from 'hono';
import { TOKEN_WAITS_MAX } from '../../../protocol/limits.ts';
import { ApiError } from '../../http/api-error.ts';
import type { App } from '../../http/http.ts';
import { type Owner, ownerKey, ownerOf } from '../../peers/owner.ts';
import { onGivenUp } from './object-socket.ts';

/** Ends a wait; may be called more than once. */
type Leave = () => void;

export class WaitingSeats {
  /** By workspace and token; where not zero. */
  readonly #counts = new Map<string, number>();

  /** Throws 429 when the token has too many. */
  enter(workspace: string, owner: Owner): Leave {
    const key = `${workspace} ${ownerKey(owner)}`;
    const most = owner.role === 'viewer' ? TOKEN_WAITS_MAX.viewer : TOKEN_WAITS_MAX.operator;
    if (this.#count(key) >= most) throw tooMany(most);
    this.#change(key, 1);
    let isLeft = false;
    return () => {
      if (!isLeft) this.#change(key, -1);
      isLeft = true;
    };
  }

  /** For a request. An aborted request runs no further, so its place is released then too. */
  enterFor(c: Context<App>): Leave {
    const { workspace, caller } = c.var.principal;
    const leave = this.enter(workspace, ownerOf(caller));
    onGivenUp(c, leave);
    return leave;
  }

  #count(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  #change(key: string, by: 1 | -1): void {
    const count = this.#count(key) + by;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
  }
}

const tooMany = (most: number) =>
  new ApiError(
    429,
    'busy',
    `This token already has ${most} requests that wait. Try again when one of them has ended.`,
  );

/** One limit for the isolate. */
export const waitingSeats = new WaitingSeats();

/**
 * Shares the output rate of all terminals in an isolate among the workspaces that print. Each workspace gets an equal
 * share, however many terminals it has and whether or not its agent waits for acknowledgements. Only numbers are
 * shared, so no request waits for a timer of another.
 */
import { TERMINAL_WRITE_COST_BYTES, WORKSPACE_TERMINALS_AHEAD_MAX_BYTES } from '../../../protocol/limits.ts';
import { FairShares } from '../../metering/fair-shares.ts';

/** The share of one workspace. */
export interface SharedLine {
  /** Records sent bytes; returns how long until all bytes sent so far would have passed. */
  sent(bytes: number, now: number): number;
  /** Whether more was sent than an agent that waits for acknowledgements would send. */
  isTooFarAhead(now: number): boolean;
}

export class TerminalLines {
  readonly #shares: FairShares;

  constructor(bytesPerS: number) {
    this.#shares = new FairShares(bytesPerS);
  }

  get busyWorkspaces(): number {
    return this.#shares.busy;
  }

  of(workspace: string): SharedLine {
    return {
      sent: (bytes, now) => this.#shares.take(workspace, bytes + TERMINAL_WRITE_COST_BYTES, now),
      isTooFarAhead: (now) => this.#shares.ahead(workspace, now) > WORKSPACE_TERMINALS_AHEAD_MAX_BYTES,
    };
  }
}

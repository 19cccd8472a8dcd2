/**
 * Shares the output rate of all terminals in an isolate among the workspaces that print. Each workspace gets an equal
 * share, however many terminals it has and whether or not its agent waits for acknowledgements. Only numbers are
 * shared, so no request waits for a timer of another.
 */
import { TERMINAL_WRITE_COST_BYTES, WORKSPACE_TERMINALS_AHEAD_MAX_BYTES } from '../../../protocol/limits.ts';

/** The share of one workspace. */
export interface SharedLine {
  /** Records sent bytes; returns how long until all bytes sent so far would have passed. */
  sent(bytes: number, now: number): number;
  /** Whether more was sent than an agent that waits for acknowledgements would send. */
  isTooFarAhead(now: number): boolean;
}

export class TerminalLines {
  readonly #bytesPerS: number;
  /** Bytes that have not passed yet, by workspace. A terminal that ends releases nothing, because the work was done. */
  readonly #ahead = new Map<string, number>();
  #at = 0;

  constructor(bytesPerS: number) {
    this.#bytesPerS = bytesPerS;
  }

  get busyWorkspaces(): number {
    return this.#ahead.size;
  }

  of(workspace: string): SharedLine {
    return {
      sent: (bytes, now) => this.#sent(workspace, bytes + TERMINAL_WRITE_COST_BYTES, now),
      isTooFarAhead: (now) => {
        this.#pass(now);
        return (this.#ahead.get(workspace) ?? 0) > WORKSPACE_TERMINALS_AHEAD_MAX_BYTES;
      },
    };
  }

  #sent(workspace: string, bytes: number, now: number): number {
    this.#pass(now);
    const ahead = (this.#ahead.get(workspace) ?? 0) + bytes;
    this.#ahead.set(workspace, ahead);
    return (ahead / this.#share) * 1000;
  }

  get #share(): number {
    return this.#bytesPerS / this.#ahead.size;
  }

  /** Subtracts what has passed since the last call. If the wall clock went back, nothing has passed. */
  #pass(now: number): void {
    const gone = (this.#share * Math.max(0, now - this.#at)) / 1000;
    this.#at = now;
    for (const [workspace, ahead] of this.#ahead) {
      if (ahead > gone) this.#ahead.set(workspace, ahead - gone);
      else this.#ahead.delete(workspace);
    }
  }
}

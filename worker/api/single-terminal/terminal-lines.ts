/**
 * What all terminals of an isolate get together in a second, shared by the workspaces that print: each has the same part
 * of it, however many terminals it has and whether or not its agent waits for acknowledgements. Pure: only numbers are
 * shared, so no request waits for a timer of another.
 */
import { TERMINAL_WRITE_COST_BYTES, WORKSPACE_TERMINALS_AHEAD_MAX_BYTES } from '../../../protocol/limits.ts';

/** One workspace's part. */
export interface SharedLine {
  /** How long until everything sent so far would have gone out. */
  sent(bytes: number, now: number): number;
  /** Whether more was sent than an agent that waits for acknowledgements sends. */
  isTooFarAhead(now: number): boolean;
}

export class TerminalLines {
  readonly #bytesPerS: number;
  /** Bytes that have not gone out yet, of workspaces that have some. A terminal that ends takes nothing back: the work was done. */
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

  /** The time since the last look has passed for everybody. A wall clock may go back; that sends nothing. */
  #pass(now: number): void {
    const gone = (this.#share * Math.max(0, now - this.#at)) / 1000;
    this.#at = now;
    for (const [workspace, ahead] of this.#ahead) {
      if (ahead > gone) this.#ahead.set(workspace, ahead - gone);
      else this.#ahead.delete(workspace);
    }
  }
}

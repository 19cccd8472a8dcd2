/** The processes of one program: its terminal session, and all their descendants. Sends them signals. */
import { descendantsOf, type Individual, kill, processStat, sessionMembers } from './process-session.ts';

export class ProgramFamily {
  readonly #pid: number;
  readonly #bornAt: string | undefined;
  /**
   * Processes signalled before that run in their own sessions. Once their parents ended, nothing else leads to them.
   */
  #strays: readonly Individual[] = [];

  constructor(pid: number, bornAt: string | undefined) {
    this.#pid = pid;
    this.#bornAt = bornAt;
  }

  /** False if none is left. */
  signal(name: NodeJS.Signals, isRunning: boolean): boolean {
    const members = sessionMembers(this.#pid, this.#bornAt);
    if (members !== undefined)
      return this.#everybody(members)
        .map((pid) => kill(pid, name))
        .includes(true);
    // The next best: the program and its foreground group. Once the program was reaped, its pid is no longer ours. It
    // becomes group leader just after its start, but may be signalled before that.
    return isRunning && (kill(-this.#pid, name) || kill(this.#pid, name));
  }

  /** The members of the session, and all their descendants found so far. */
  #everybody(members: readonly number[]): number[] {
    const before = this.#strays.filter(({ pid, bornAt }) => processStat(pid)?.bornAt === bornAt);
    const found = descendantsOf([...members, ...before.map(({ pid }) => pid)]);
    const own = new Set(members);
    this.#strays = [...before, ...found].filter(({ pid }) => !own.has(pid));
    return [...new Set([...members, ...this.#strays.map(({ pid }) => pid)])];
  }
}

/**
 * Learns how programs end that an earlier keeper started. They are children of this process, because it replaced that
 * one in place, but only the earlier one waited for them, and Node cannot wait for a child that it did not start.
 *
 * The kernel keeps an ended child until its parent collects it, and shows its status in /proc. So the child stays
 * there as a zombie until the keeper ends, and its pid is not reused.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { type ChildStat, childStatIn, exitOfStatus, UNKNOWN_EXIT } from './exit-status.ts';
import type { Individual } from './process-session.ts';
import type { Exit } from './pty.ts';

interface Watched extends Individual {
  readonly ended: (exit: Exit) => void;
}

/** What is known of a child; `isTold`: whether the kernel tells us its status, and not 0 instead. */
export interface ChildReader {
  stat(pid: number): ChildStat;
  isTold(pid: number): boolean;
}

export class AdoptedExits {
  readonly #reader: ChildReader;
  #watched: Watched[] = [];

  constructor(reader: ChildReader) {
    this.#reader = reader;
  }

  /** Calls `ended` once, from `look`. */
  watch(child: Watched): void {
    this.#watched.push(child);
  }

  /** Some child has ended: signals do not tell which, and several ends may be one signal. */
  look(): void {
    for (const child of this.#watched.slice()) {
      const exit = this.#exitOf(child);
      if (exit === null) continue;
      this.#watched = this.#watched.filter((other) => other !== child);
      child.ended(exit);
    }
  }

  #exitOf({ pid, bornAt }: Individual): Exit | null {
    const stat = this.#reader.stat(pid);
    if (stat === null) return null;
    // The earlier keeper had collected it, and was replaced before it could note the status.
    if (stat === undefined || (bornAt !== undefined && stat.bornAt !== bornAt)) return UNKNOWN_EXIT;
    return this.#reader.isTold(pid) ? exitOfStatus(stat.status) : UNKNOWN_EXIT;
  }
}

export const procReader: ChildReader = {
  stat(pid) {
    try {
      return childStatIn(readFileSync(`/proc/${pid}/stat`, 'latin1'));
    } catch {
      return undefined;
    }
  },
  /** The same right is needed to read the link. A zombie that we may look into has none; else it is refused. */
  isTold(pid) {
    try {
      readlinkSync(`/proc/${pid}/cwd`);
      return true;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENOENT';
    }
  },
};

let exits: AdoptedExits | undefined;

/** Those of this process. */
export function adoptedExits(): AdoptedExits {
  if (exits === undefined) {
    const all = new AdoptedExits(procReader);
    process.on('SIGCHLD', () => all.look());
    exits = all;
  }
  return exits;
}

/** A program that has ended, and whose terminal is closed. What it started may still run. */
import { ProgramFamily } from './program-family.ts';
import type { OwnedPty, SavedPty } from './pty.ts';

export class EndedPty implements OwnedPty {
  readonly pid: number;
  readonly bornAt: string | undefined;
  readonly starting = null;
  readonly backlogBytes = 0;
  readonly #family: ProgramFamily;

  constructor({ pid, bornAt }: Pick<SavedPty, 'pid' | 'bornAt'>) {
    this.pid = pid;
    this.bornAt = bornAt;
    this.#family = new ProgramFamily(pid, bornAt);
  }

  signal(name: NodeJS.Signals): boolean {
    return this.#family.signal(name, false);
  }

  save(): SavedPty {
    return { pid: this.pid, bornAt: this.bornAt, terminal: null, ended: null, waiting: [] };
  }

  write(): void {}
  promise(): void {}
  answer(): void {}
  prefer(): void {}
  resize(): void {}
  pause(): void {}
  resume(): void {}
  readAtMost(): void {}
  forget(): void {}
  cwd = () => null;
  foreground = () => null;
}

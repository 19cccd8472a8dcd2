/** A group of processes that may use only so much memory: a Linux control group of version 1 or 2. Needs root. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where groups are, and the names of their files, in either version. */
const V1 = {
  root: '/sys/fs/cgroup/memory',
  limit: 'memory.limit_in_bytes',
  usage: 'memory.usage_in_bytes',
  kills: 'memory.oom_control',
} as const;
const V2 = {
  root: '/sys/fs/cgroup',
  limit: 'memory.max',
  usage: 'memory.current',
  kills: 'memory.events',
} as const;

export class MemoryGroup implements Disposable {
  readonly #files = existsSync(join(V1.root, V1.limit)) ? V1 : V2;
  readonly #folder = join(this.#files.root, `holdfast-${process.pid}`);

  /** Throws if this machine allows no such groups. */
  constructor(limitBytes: number) {
    mkdirSync(this.#folder);
    this.limit(limitBytes);
  }

  limit(bytes: number): void {
    writeFileSync(join(this.#folder, this.#files.limit), `${bytes}`);
  }

  /** A command that runs another one in this group. */
  get prefix(): readonly [string, ...string[]] {
    return ['/bin/sh', '-c', `echo $$ > ${join(this.#folder, 'cgroup.procs')}; exec "$@"`, 'sh'];
  }

  get usedBytes(): number {
    return Number(this.#read(this.#files.usage));
  }

  /** How many processes of this group the kernel has ended because it had no memory for it. */
  get kills(): number {
    return Number(/^oom_kill (\d+)$/m.exec(this.#read(this.#files.kills))?.[1]);
  }

  get pids(): number[] {
    return this.#read('cgroup.procs').split('\n').filter(Boolean).map(Number);
  }

  /** All its processes must have ended. */
  [Symbol.dispose](): void {
    rmdirSync(this.#folder);
  }

  #read(name: string): string {
    return readFileSync(join(this.#folder, name), 'utf8');
  }
}

/**
 * Simulates a separate machine: a Linux network namespace with a virtual cable to ours, which can be pulled out and
 * plugged into another network. Needs root, iproute2 and a kernel that allows it; `whyNot` says briefly what is
 * missing.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';

/** Our address for the other machines, whichever cable they use. It is from the block reserved for documentation. */
export const OUR_ADDRESS = '198.51.100.1';

function ip(...args: string[]): string | undefined {
  const { status, stderr, error } = spawnSync('ip', args, { encoding: 'utf8' });
  if (status === 0) return undefined;
  return `ip ${args.join(' ')}: ${error?.message ?? stderr.trim()}`;
}

function must(...args: string[]): void {
  const why = ip(...args);
  if (why !== undefined) throw new Error(why);
}

/** Why namespaces cannot be used here; null when they can. */
export function whyNot(): string | null {
  if (process.platform !== 'linux') return 'needs Linux';
  if (process.getuid?.() !== 0) return 'needs root';
  const probe = `holdfast-probe-${process.pid}`;
  const why = ip('netns', 'add', probe);
  ip('netns', 'del', probe);
  return why ?? null;
}

/** Counts the namespaces of this process. Each has its own names, so that one left behind by a failure does no harm. */
let made = 0;
/** Counts the interfaces ever created: each is a separate network, even for machines that exist at the same time. */
let networks = 0;
/** Counts the existing namespaces; our address is removed with the last one. */
let alive = 0;

export class NetworkNamespace implements Disposable {
  readonly name = `holdfast-${process.pid}-${++made}`;
  readonly #cable = `hf${process.pid}-${made}`;

  constructor() {
    must('netns', 'add', this.name);
    must('-n', this.name, 'link', 'set', 'lo', 'up');
    alive++;
    must('address', 'replace', `${OUR_ADDRESS}/32`, 'dev', 'lo');
  }

  /**
   * Connects a cable to a new network: the machine gets another address, and every connection of the old one is dead.
   */
  plugIn(): void {
    const network = `198.51.100.${64 + 4 * networks++}`;
    const [ours, theirs] = [1, 2].map((host) => network.replace(/\d+$/, (last) => `${Number(last) + host}`));
    must('link', 'add', this.#cable, 'type', 'veth', 'peer', 'name', 'cable', 'netns', this.name);
    must('address', 'add', `${ours}/30`, 'dev', this.#cable);
    must('link', 'set', this.#cable, 'up');
    must('-n', this.name, 'address', 'add', `${theirs}/30`, 'dev', 'cable');
    must('-n', this.name, 'link', 'set', 'cable', 'up');
    must('-n', this.name, 'route', 'add', 'default', 'via', ours ?? '');
  }

  /** The interface stays but drops all packets; nobody is informed. */
  cutOff(): void {
    must('link', 'set', this.#cable, 'down');
  }

  restore(): void {
    must('link', 'set', this.#cable, 'up');
  }

  pullOut(): void {
    must('link', 'del', this.#cable);
  }

  /** Writes a script to `file` that runs Node with the given arguments inside the namespace. */
  entrance(file: string): string {
    writeFileSync(file, `#!/bin/sh\nexec ip netns exec ${this.name} '${process.execPath}' "$@"\n`);
    chmodSync(file, 0o700);
    return file;
  }

  [Symbol.dispose](): void {
    ip('link', 'del', this.#cable);
    ip('netns', 'del', this.name);
    if (--alive === 0) ip('address', 'del', `${OUR_ADDRESS}/32`, 'dev', 'lo');
  }
}

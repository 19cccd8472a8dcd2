/**
 * A machine of its own as far as the network goes: a Linux network namespace with a cable to ours that can be pulled, and plugged in elsewhere.
 * Needs root, iproute2 and a kernel that allows it; `whyNot` says in a few words what is missing here.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';

/** Where the other machines find us, whichever cable they are on. From the block that is kept for documentation. */
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

/** Why there can be none here; null when there can. */
export function whyNot(): string | null {
  if (process.platform !== 'linux') return 'needs Linux';
  if (process.getuid?.() !== 0) return 'needs root';
  const probe = `holdfast-probe-${process.pid}`;
  const why = ip('netns', 'add', probe);
  ip('netns', 'del', probe);
  return why ?? null;
}

/** In this process; each has names of its own, so that one that a failure left behind is in nobody's way. */
let made = 0;
/** Cables that were ever plugged in: each is a network of its own, for machines side by side too. */
let networks = 0;
/** Our address goes with the last of them. */
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

  /** A cable to another network than before: the machine has another address, and every connection of the old one is dead. */
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

  /** The cable is there and carries nothing; nobody is told. */
  cutOff(): void {
    must('link', 'set', this.#cable, 'down');
  }

  restore(): void {
    must('link', 'set', this.#cable, 'up');
  }

  pullOut(): void {
    must('link', 'del', this.#cable);
  }

  /** A program that runs another one in here: `file` is written, and takes the other's command line. */
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

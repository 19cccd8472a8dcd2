/** A Cloudflare account in a directory, and a program `wrangler` that works on it. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('./stand-in-wrangler.mjs', import.meta.url));

export interface AccountState {
  readonly loggedIn: boolean;
  /** The secrets of every Worker. */
  readonly workers: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Where a deployed Worker is reached. */
  readonly targets: readonly unknown[];
  /** What wrangler prints when it fails, by command. */
  readonly fails?: Readonly<Record<string, string>>;
}

export interface Call {
  readonly args: readonly string[];
  readonly input: string;
  readonly env: Readonly<Record<string, string>>;
  /** The content of the configuration that it was given. */
  readonly config: string;
}

export class StandInAccount implements Disposable {
  readonly dir = mkdtempSync(join(tmpdir(), 'holdfast-account-'));
  /** What to put on PATH. */
  readonly bin = join(this.dir, 'bin');
  readonly program = join(this.bin, 'wrangler');

  constructor(state: Partial<AccountState> = {}) {
    mkdirSync(this.bin);
    // Named as the real one, and run by the Node of these tests, whatever is on PATH.
    writeFileSync(
      this.program,
      `#!/bin/sh\nexec '${process.execPath}' '${join(this.bin, 'run.mjs')}' "$@"\n`,
    );
    writeFileSync(join(this.bin, 'run.mjs'), readFileSync(PROGRAM));
    chmodSync(this.program, 0o755);
    this.set({ loggedIn: true, workers: {}, targets: ['https://holdfast.you.workers.dev'], ...state });
  }

  get state(): AccountState {
    return JSON.parse(readFileSync(join(this.bin, 'account.json'), 'utf8'));
  }

  set(state: Partial<AccountState>): void {
    const file = join(this.bin, 'account.json');
    const before = existsSync(file) ? this.state : {};
    writeFileSync(file, JSON.stringify({ ...before, ...state }));
  }

  get calls(): readonly Call[] {
    const file = join(this.bin, 'calls.ndjson');
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    return lines.map((line) => JSON.parse(line) as Call);
  }

  [Symbol.dispose](): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}

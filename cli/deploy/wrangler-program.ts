/** Runs wrangler. Secrets go through its standard input: arguments, environments and files can be read by others. */
import { open } from 'node:fs/promises';
import type { Clock } from '../../protocol/clock.ts';
import { printableJson } from '../../protocol/printable.ts';
import type { DeployFiles } from './deploy-files.ts';
import type { ProgramStart } from './find-wrangler.ts';
import { type Ended, runBounded } from './run-bounded.ts';
import { type Wrangler, WranglerFailure } from './wrangler.ts';

/** One line for each thing that wrangler did. */
const REPORT_MAX_BYTES = 64 * 1024;
const NAMES_MAX = 1000;

export class WranglerProgram implements Wrangler {
  readonly #start: ProgramStart;
  readonly #files: DeployFiles;
  readonly #clock: Clock;

  constructor(start: ProgramStart, files: DeployFiles, clock: Clock) {
    this.#start = start;
    this.#files = files;
    this.#clock = clock;
  }

  async isLoggedIn(): Promise<boolean> {
    const ended = await this.#run(['whoami', '--json']);
    const { loggedIn } = (parsed(ended.stdout) ?? {}) as { loggedIn?: unknown };
    // It fails both if nobody is logged in and if it cannot tell.
    if (!ended.succeeded && loggedIn !== false)
      throw new WranglerFailure(
        'wrangler cannot tell who is logged in; correct what it says above, and run this again',
        ended.lines,
      );
    return ended.succeeded;
  }

  async secretNames(worker: string): Promise<ReadonlySet<string> | null> {
    const ended = await this.#run(['secret', 'list', '--name', worker]);
    if (!ended.succeeded && isMissing(ended, worker)) return null;
    const names = ended.succeeded ? namesIn(parsed(ended.stdout)) : null;
    if (names !== null) return names;
    throw new WranglerFailure(
      `wrangler cannot list the secrets of ${worker}, so nothing was deployed; correct what it says above, and run this again`,
      ended.lines,
    );
  }

  async deploy(worker: string): Promise<readonly string[]> {
    const ended = await this.#run(['deploy', '--name', worker]);
    if (ended.succeeded) return targetsIn(await this.#report());
    throw new WranglerFailure(
      `wrangler could not deploy ${worker}; correct what it says above, and run this again`,
      ended.lines,
    );
  }

  async rehearse(worker: string): Promise<readonly string[]> {
    const ended = await this.#run(['deploy', '--name', worker, '--dry-run']);
    if (ended.succeeded) return ended.lines;
    throw new WranglerFailure(
      `wrangler could not deploy ${worker}; correct what it says above, and run this again`,
      ended.lines,
    );
  }

  async putSecrets(worker: string, secrets: Readonly<Record<string, string>>): Promise<void> {
    const ended = await this.#run(['secret', 'bulk', '--name', worker], JSON.stringify(secrets));
    if (ended.succeeded) return;
    throw new WranglerFailure(
      `${worker} is deployed, but wrangler could not store its secrets; correct what it says above, and run this again`,
      ended.lines,
    );
  }

  #run(args: readonly string[], input = ''): Promise<Ended> {
    return runBounded([...this.#start, ...args, '--config', this.#files.config], {
      cwd: this.#files.cwd,
      env: { ...process.env, ...this.#variables },
      input,
      clock: this.#clock,
    });
  }

  get #variables(): Record<string, string> {
    return {
      WRANGLER_OUTPUT_FILE_PATH: this.#files.report,
      WRANGLER_HIDE_BANNER: 'true',
      FORCE_COLOR: '0',
      // With other settings, wrangler would print more than the JSON, and write requests with our secrets to its log.
      WRANGLER_LOG: 'log',
      WRANGLER_LOG_SANITIZE: 'true',
    };
  }

  /** What wrangler reports for programs, rather than what it prints for people. Empty if there is none. */
  async #report(): Promise<string> {
    try {
      const file = await open(this.#files.report);
      try {
        const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(REPORT_MAX_BYTES) });
        return buffer.toString('utf8', 0, bytesRead);
      } finally {
        await file.close();
      }
    } catch {
      return '';
    }
  }
}

/** Versions of wrangler differ in the sentence; the code is that of Cloudflare. */
function isMissing({ lines }: Ended, worker: string): boolean {
  const text = lines.join('\n');
  return text.includes(`Worker ${printableJson(worker)} not found`) || text.includes('[code: 10007]');
}

function namesIn(list: unknown): ReadonlySet<string> | null {
  if (!Array.isArray(list)) return null;
  const names = list.slice(0, NAMES_MAX).map((one: { name?: unknown } | null) => one?.name);
  return new Set(names.filter((name) => typeof name === 'string'));
}

function targetsIn(report: string): string[] {
  const deploys = report
    .split('\n')
    .map((line) => parsed(line) as { type?: unknown; targets?: unknown } | null)
    .filter((entry) => entry?.type === 'deploy');
  const targets = deploys.at(-1)?.targets;
  return Array.isArray(targets) ? targets.filter((target) => typeof target === 'string') : [];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

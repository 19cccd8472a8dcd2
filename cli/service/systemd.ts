/** Services of systemd: those of root belong to the machine, those of another user to that user. */
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { userConfigDirectory } from '../../node/config-directory.ts';
import { StartError } from '../../node/start-error.ts';
import { type RunProgram, runOrExplain, runProgram } from './run-program.ts';
import type { Service, ServiceManager } from './service.ts';
import { programInUnit, unitText } from './systemd-unit.ts';

/** Exists while systemd runs the machine: sd_booted(3). */
const SYSTEMD_RUNS = '/run/systemd/system';

interface SystemdOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly user?: { readonly uid: number; readonly username: string };
  readonly run?: RunProgram;
  /** Whether a path exists. */
  readonly exists?: (path: string) => boolean;
}

export class Systemd implements ServiceManager {
  readonly suffix = '.service';
  readonly directory: string;
  readonly #user: { readonly uid: number; readonly username: string };
  readonly #run: RunProgram;
  readonly #exists: (path: string) => boolean;

  constructor(options: SystemdOptions = {}) {
    const { env = process.env, user = userInfo(), run = runProgram, exists = existsSync } = options;
    this.#user = user;
    this.#run = run;
    this.#exists = exists;
    this.directory = this.#isRoot ? '/etc/systemd/system' : join(userConfigDirectory(env), 'systemd/user');
  }

  get #isRoot(): boolean {
    return this.#user.uid === 0;
  }

  fileOf(name: string): string {
    return join(this.directory, name + this.suffix);
  }

  describe(service: Service, comments: readonly string[] = []): string {
    const unit = unitText(service, this.#isRoot ? { user: this.#user.username } : {});
    return [...comments, unit].join('\n');
  }

  comment(text: string): string {
    return `# ${text}`;
  }

  programIn(text: string): string | undefined {
    return programInUnit(text);
  }

  async requireHere(): Promise<void> {
    if (this.#exists(SYSTEMD_RUNS)) return;
    throw new StartError(
      `systemd does not run here (there is no ${SYSTEMD_RUNS}); run the command without --service, under what runs services on this machine.`,
    );
  }

  async isRunning(name: string): Promise<boolean> {
    const { out } = await this.#run('systemctl', [...this.#scope, 'is-active', name + this.suffix]);
    // One that waits to be restarted is `activating`.
    return /^(active|activating|reloading)$/m.test(out);
  }

  async start(name: string): Promise<void> {
    await this.#systemctl('daemon-reload');
    await this.#systemctl('enable', '--now', name + this.suffix);
  }

  async stop(name: string): Promise<void> {
    await this.#systemctl('disable', '--now', name + this.suffix);
  }

  async forget(): Promise<void> {
    await this.#systemctl('daemon-reload');
  }

  logOf(name: string): string {
    return `\`${['journalctl', ...this.#scope, '-u', name].join(' ')}\` shows its log`;
  }

  /** Services of a user end when that user has logged out everywhere, unless the user lingers. */
  async caveat(): Promise<string | null> {
    if (this.#isRoot) return null;
    const asked = ['show-user', this.#user.username, '--property=Linger', '--value'];
    const { out } = await this.#run('loginctl', asked);
    if (out.trim() === 'yes') return null;
    return 'It ends when you log out, and starts when you log in; `loginctl enable-linger` lets it run without you.';
  }

  get #scope(): string[] {
    return this.#isRoot ? [] : ['--user'];
  }

  #systemctl(...args: string[]): Promise<string> {
    return runOrExplain(this.#run, 'systemctl', [...this.#scope, ...args]);
  }
}

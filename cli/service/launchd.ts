/** Services of launchd, on macOS. Unverified: the tests have no macOS. */
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { plistText, programInPlist } from './launchd-plist.ts';
import { type RunProgram, runOrExplain, runProgram } from './run-program.ts';
import type { Service, ServiceManager } from './service.ts';

interface LaunchdOptions {
  readonly home?: string;
  readonly uid?: number;
  readonly run?: RunProgram;
}

export class Launchd implements ServiceManager {
  readonly suffix = '.plist';
  readonly directory: string;
  readonly #logs: string;
  readonly #domain: string;
  readonly #run: RunProgram;

  constructor({ home = homedir(), uid = userInfo().uid, run = runProgram }: LaunchdOptions = {}) {
    const library = uid === 0 ? '/Library' : join(home, 'Library');
    this.directory = join(library, uid === 0 ? 'LaunchDaemons' : 'LaunchAgents');
    this.#logs = join(library, 'Logs');
    this.#domain = uid === 0 ? 'system' : `gui/${uid}`;
    this.#run = run;
  }

  fileOf(name: string): string {
    return join(this.directory, name + this.suffix);
  }

  describe(service: Service, comments: readonly string[] = []): string {
    return plistText(service, this.#logFile(service.name), comments);
  }

  comment(text: string): string {
    return `<!-- ${text} -->`;
  }

  programIn(text: string): string | undefined {
    return programInPlist(text);
  }

  async requireHere(): Promise<void> {
    await runOrExplain(this.#run, 'launchctl', ['version']);
  }

  async isRunning(name: string): Promise<boolean> {
    return (await this.#run('launchctl', ['print', `${this.#domain}/${name}`])).code === 0;
  }

  async start(name: string): Promise<void> {
    await runOrExplain(this.#run, 'launchctl', ['bootstrap', this.#domain, this.fileOf(name)]);
  }

  async stop(name: string): Promise<void> {
    if (await this.isRunning(name))
      await runOrExplain(this.#run, 'launchctl', ['bootout', `${this.#domain}/${name}`]);
  }

  async forget(): Promise<void> {}

  logOf(name: string): string {
    return `its log is ${this.#logFile(name)}`;
  }

  async caveat(): Promise<string | null> {
    return this.#domain === 'system' ? null : 'It runs while you are logged in.';
  }

  #logFile(name: string): string {
    return join(this.#logs, `${name}.log`);
  }
}

/**
 * Stands in for systemd: answers `systemctl` and `loginctl` as they do for the services of a user, from units in an
 * empty directory. It knows a unit only after `daemon-reload`. With `runsPrograms`, it runs what ExecStart says.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProgramOutcome } from '../../cli/service/run-program.ts';
import { Systemd } from '../../cli/service/systemd.ts';

const ok = (out = ''): ProgramOutcome => ({ code: 0, out, err: '' });
const failed = (err: string): ProgramOutcome => ({ code: 1, out: '', err });

export class StandInSystemd implements AsyncDisposable {
  readonly home = mkdtempSync(join(tmpdir(), 'holdfast-systemd-'));
  readonly manager: Systemd;
  /** Every command line, in order. */
  readonly asked: string[] = [];
  readonly running = new Map<string, ChildProcess | null>();
  /** What the programs of services have printed. */
  log = '';
  lingers = 'no';
  isInstalled = true;
  /** The message with which `systemctl` refuses a command. */
  readonly refusals = new Map<string, string>();
  readonly #units = new Map<string, string>();
  readonly #runsPrograms: boolean;

  constructor({ runsPrograms = false, isBooted = true } = {}) {
    this.#runsPrograms = runsPrograms;
    this.manager = new Systemd({
      env: { XDG_CONFIG_HOME: join(this.home, '.config') },
      user: { uid: 1000, username: 'ada' },
      run: async (program, args) => this.#answer(program, args),
      exists: () => isBooted,
    });
  }

  unit(name: string): string {
    return readFileSync(this.manager.fileOf(name), 'utf8');
  }

  /** An empty directory for units, as a user has it who has some. */
  makeDirectory(): string {
    mkdirSync(this.manager.directory, { recursive: true });
    return this.manager.directory;
  }

  async #answer(program: string, args: readonly string[]): Promise<ProgramOutcome> {
    if (!this.isInstalled) return { code: null, out: '', err: '' };
    this.asked.push([program, ...args].join(' '));
    if (program === 'loginctl') return ok(`${this.lingers}\n`);
    const [scope, verb = '', ...rest] = args;
    if (program !== 'systemctl' || scope !== '--user') throw new Error(`unexpected ${program} ${args}`);
    const refusal = this.refusals.get(verb);
    if (refusal !== undefined) return failed(refusal);
    return this.#systemctl(verb, rest.at(-1) ?? '');
  }

  async #systemctl(verb: string, unit: string): Promise<ProgramOutcome> {
    if (verb === 'daemon-reload') {
      this.#units.clear();
      for (const name of readdirSync(this.manager.directory))
        this.#units.set(name, readFileSync(join(this.manager.directory, name), 'utf8'));
      return ok();
    }
    if (verb === 'is-active') return ok(this.running.has(unit) ? 'active\n' : 'inactive\n');
    const text = this.#units.get(unit);
    if (text === undefined) return failed(`Failed to ${verb} unit: Unit file ${unit} does not exist.\n`);
    if (verb === 'enable') this.running.set(unit, this.#runsPrograms ? this.#run(text) : null);
    else await this.#stop(unit);
    return ok();
  }

  #run(unit: string): ChildProcess {
    const [program = '', ...args] = wordsOf(valuesIn(unit, 'ExecStart')[0] ?? '');
    const variables = valuesIn(unit, 'Environment').flatMap(wordsOf);
    const child = spawn(program, args, {
      cwd: this.home,
      env: {
        HOME: this.home,
        ...Object.fromEntries(variables.map((text) => [text.split('=')[0], text.replace(/^\w+=/, '')])),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.log += text;
      });
    return child;
  }

  async #stop(unit: string): Promise<void> {
    const child = this.running.get(unit);
    this.running.delete(unit);
    if (child === null || child === undefined || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const unit of [...this.running.keys()]) await this.#stop(unit);
    rmSync(this.home, { recursive: true, force: true });
  }
}

export function valuesIn(unit: string, key: string): string[] {
  return [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);
}

/** The words of a value, as a shell splits them once what only systemd expands is undone. */
export function wordsOf(value: string): string[] {
  const line = value.replaceAll('%%', '%').replaceAll('$$', '$').replace(/[$`]/g, '\\$&');
  const printed = execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${line}`]).toString();
  return printed.split('\0').slice(0, -1);
}

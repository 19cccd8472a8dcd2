/** A window of a real tmux, which types into it and reads it. It has its own tmux server, which ends with it. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import type { Size } from '../../protocol/frame.ts';
import { plainEnvironment } from './holdfast-command.ts';

const run = promisify(execFile);

export class TmuxWindow implements Disposable {
  readonly #dir = mkdtempSync(join(tmpdir(), 'holdfast-tmux-'));
  readonly #tmux: string;

  /** Runs a shell whose prompt is `desk> `. */
  constructor(tmux: string, { cols, rows }: Size, env: Readonly<Record<string, string>>) {
    this.#tmux = tmux;
    // No configuration of the user who runs the tests, and no status line: every row belongs to the program. The prompt
    // is in a file, because root's shell does not take one from its environment.
    const start = join(this.#dir, 'start');
    writeFileSync(start, "PS1='desk> '\n");
    const all = plainEnvironment({ ...env, ENV: start, TMUX_TMPDIR: this.#dir });
    const size = ['-x', `${cols}`, '-y', `${rows}`];
    const args = [
      '-f',
      '/dev/null',
      'new-session',
      '-d',
      ...size,
      'exec sh',
      ';',
      'set',
      '-g',
      'status',
      'off',
    ];
    execFileSync(tmux, args, { env: all });
  }

  async presses(...keys: string[]): Promise<void> {
    await this.#ask('send-keys', ...keys);
  }

  async types(line: string): Promise<void> {
    await this.#ask('send-keys', '-l', line);
    await this.presses('Enter');
  }

  /** The visible rows, without trailing blanks and blank rows at the end. */
  async screen(): Promise<string> {
    const rows = (await this.#ask('capture-pane', '-p')).split('\n').map((row) => row.trimEnd());
    return rows.join('\n').trimEnd();
  }

  /** tmux does not report when something is drawn, so it is polled. */
  async shows(pattern: RegExp): Promise<void> {
    await expect.poll(() => this.screen()).toMatch(pattern);
  }

  async #ask(...args: string[]): Promise<string> {
    return (await run(this.#tmux, args, { env: plainEnvironment({ TMUX_TMPDIR: this.#dir }) })).stdout;
  }

  [Symbol.dispose](): void {
    execFileSync(this.#tmux, ['kill-server'], { env: plainEnvironment({ TMUX_TMPDIR: this.#dir }) });
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

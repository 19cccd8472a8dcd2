/**
 * Runs a program in a session under util-linux `script`, which records every byte that reaches its terminal. For
 * programs that need a real terminal and read it themselves, like an editor; RecordingProgram is for output that the
 * test controls.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HeadlessClient } from './headless-client.ts';

export class LoggedProgram implements Disposable {
  readonly id: string;
  readonly #dir: string;

  private constructor(id: string, dir: string) {
    this.id = id;
    this.#dir = dir;
  }

  /** Runs `command`, a shell command line, in a session of this name. */
  static async start(client: HeadlessClient, name: string, command: string): Promise<LoggedProgram> {
    const dir = mkdtempSync(join(tmpdir(), 'holdfast-logged-'));
    const args = ['-q', '-f', '--log-in', join(dir, 'typed'), '-c', command];
    const { id } = await client.client.create({ cols: 80, rows: 24, name, command: 'script', args });
    return new LoggedProgram(id, dir);
  }

  /** Everything that has reached the program, one character per byte, after the header line that `script` writes. */
  get typed(): string {
    return readFileSync(join(this.#dir, 'typed'), 'latin1');
  }

  [Symbol.dispose](): void {
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

/**
 * A program in a session that prints what the test tells it to, and records every byte that reaches its terminal:
 * nothing is echoed or interpreted on the way.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { HeadlessClient } from './headless-client.ts';

/** The pipe is opened for reading and writing, so that the program does not end when a writer closes it. */
const SCRIPT = 'stty raw -echo; exec 3<>"$1"; cat <&3 & exec cat >"$2" 3<&-';

export class RecordingProgram implements Disposable {
  readonly id: string;
  readonly #dir: string;

  private constructor(id: string, dir: string) {
    this.id = id;
    this.#dir = dir;
  }

  /** Starts it without attaching to it. */
  static async start(client: HeadlessClient, name?: string): Promise<RecordingProgram> {
    const dir = mkdtempSync(join(tmpdir(), 'holdfast-recording-'));
    execFileSync('mkfifo', [join(dir, 'prints')]);
    writeFileSync(join(dir, 'typed'), '');
    const args = ['-c', SCRIPT, 'sh', join(dir, 'prints'), join(dir, 'typed')];
    const { id } = await client.client.create({
      cols: 80,
      rows: 24,
      command: 'sh',
      args,
      ...(name === undefined ? {} : { name }),
    });
    return new RecordingProgram(id, dir);
  }

  async prints(text: string): Promise<void> {
    await writeFile(join(this.#dir, 'prints'), text);
  }

  /** Everything that has reached the program, one character per byte. */
  get typed(): string {
    return readFileSync(join(this.#dir, 'typed'), 'latin1');
  }

  /** Resolves when the recorded input ends with `end`. */
  async got(end: string): Promise<void> {
    await expect.poll(() => this.typed.slice(-end.length), { interval: 20 }).toBe(end);
  }

  [Symbol.dispose](): void {
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

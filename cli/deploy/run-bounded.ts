/** Runs a program to its end and keeps the last part of what it prints: it may print more than we want to hold. */
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import type { Clock } from '../../protocol/clock.ts';
import { printable } from '../../protocol/printable.ts';

/** A listing of secrets or the report of an upload has some kilobytes. */
const OUTPUT_MAX_BYTES = 256 * 1024;
/** An error of wrangler with its advice has about ten lines, a rehearsal twenty. */
const LINES_MAX = 30;
const LINE_MAX_CHARS = 400;
/** An upload over a slow line takes a minute or two. */
const END_WITHIN_MS = 15 * 60_000;

export interface BoundedRunOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** For its standard input, which is closed after it. */
  readonly input: string;
  readonly clock: Clock;
}

export interface Ended {
  readonly succeeded: boolean;
  readonly stdout: string;
  /** The last lines of both streams, those of stderr last: errors are there. */
  readonly lines: readonly string[];
}

/** Never rejects: a program that cannot be started, or does not end in time, has failed too. */
export function runBounded(
  start: readonly [string, ...string[]],
  options: BoundedRunOptions,
): Promise<Ended> {
  const [file, ...args] = start;
  const { cwd, env, input, clock } = options;
  return new Promise((resolve) => {
    const child = spawn(file, args, { cwd, env, stdio: 'pipe' });
    const [stdout, stderr] = [tailOf(child.stdout), tailOf(child.stderr)];
    const end = (succeeded: boolean, why = '') => {
      cancel();
      const lines = lastLines(`${stdout()}\n${stderr()}\n${why}`);
      resolve({ succeeded, stdout: stdout(), lines });
    };
    let late = '';
    const cancel = clock.after(END_WITHIN_MS, () => {
      late = `It has not ended in ${END_WITHIN_MS / 60_000} minutes, and was stopped.`;
      child.kill('SIGTERM');
    });
    child.on('error', (error) => end(false, error.message));
    child.on('close', (code, signal) => end(code === 0, late || (signal ?? '')));
    // A program that ends without reading its input is judged by its exit code.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

function tailOf(stream: Readable): () => string {
  let tail = Buffer.alloc(0);
  stream.on('data', (bytes: Buffer) => {
    tail = Buffer.concat([tail, bytes]).subarray(-OUTPUT_MAX_BYTES);
  });
  return () => tail.toString('utf8');
}

function lastLines(text: string): string[] {
  return stripVTControlCharacters(text)
    .split('\n')
    .slice(-4 * LINES_MAX)
    .map((line) => printable(line, LINE_MAX_CHARS))
    .filter((line) => line !== '')
    .slice(-LINES_MAX);
}

/** Programs in real terminals, each in the same temporary folder, and what tests ask about processes. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach } from 'vitest';
import type { Exit, Pty, SpawnSpec } from '../../../vm-agent/pty/pty.ts';
import { spawnPty } from '../../../vm-agent/pty/spawn-pty.ts';

export const folder = mkdtempSync(join(tmpdir(), 'holdfast-pty-'));
export const opened: Session[] = [];

export interface Session {
  readonly pty: Pty;
  /** Everything printed so far. */
  output(): Buffer;
  /** Resolves with everything printed so far, once it contains `text`. */
  prints(text: string): Promise<string>;
  readonly exit: Promise<Exit>;
  readonly hasExited: () => boolean;
}

interface Options extends Partial<SpawnSpec> {
  readonly onOutput?: (pty: Pty) => unknown;
}

/** Runs `script` in a new terminal. */
export function run(script: string, { onOutput, ...overrides }: Options = {}): Session {
  // Joined on request: joining each chunk would copy a flood a thousand times.
  let pieces: Buffer[] = [];
  const output = (): Buffer => {
    if (pieces.length !== 1) pieces = [Buffer.concat(pieces)];
    return pieces[0] as Buffer;
  };
  let exited = false;
  let check = (): void => {};
  const ended = Promise.withResolvers<Exit>();
  const pty = spawnPty(
    {
      command: 'sh',
      args: ['-c', script],
      cwd: folder,
      env: { PATH: process.env.PATH ?? '' },
      size: { cols: 80, rows: 24 },
      ...overrides,
    },
    {
      output: (bytes) => {
        if (exited) throw new Error('output after the exit');
        pieces.push(Buffer.from(bytes));
        check();
        onOutput?.(pty);
      },
      exited: (exit) => {
        if (exited) throw new Error('exited twice');
        exited = true;
        ended.resolve(exit);
      },
    },
  );
  const prints = (text: string): Promise<string> =>
    new Promise((resolve) => {
      check = () => {
        if (!output().includes(text)) return;
        check = () => {};
        resolve(output().toString());
      };
      check();
    });
  const session = { pty, output, prints, exit: ended.promise, hasExited: () => exited };
  opened.push(session);
  return session;
}

/** Called once at the top of a file: programs end with their test, and the folder is removed after the last. */
export function endsPrograms(): void {
  afterEach(async () => {
    for (const session of opened.splice(0)) {
      session.pty.resume();
      session.pty.signal('SIGKILL');
      await session.exit;
    }
  });

  afterAll(() => rmSync(folder, { recursive: true }));
}

export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Passes when `condition` holds, however many turns of the event loop that takes. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await turn();
}

/** R if a process runs or could, S if it waits, Z if it has ended but was not collected; else nothing. */
export function stateOf(pid: number): string | undefined {
  try {
    return /^\d+ \(.*\) (.)/s.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.[1];
  } catch {
    return undefined;
  }
}

export const runs = (pid: number): boolean => !['Z', undefined].includes(stateOf(pid));

export function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

export const openFiles = (): number => readdirSync('/dev/fd').length;

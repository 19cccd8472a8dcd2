/**
 * Runs workerd as a child process: starts it with a configuration file, waits until its socket listens, and makes sure
 * that it ends when this process does. Only this file uses the `workerd` package.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { howItEnds } from '../../node/child-process.ts';
import { endWithParent } from '../../node/end-with-parent.ts';
import { StartError } from '../../node/start-error.ts';
import { systemClock } from '../../node/system-clock.ts';
import { FoldedLog } from './folded-log.ts';
import { descriptorOf, openListeningSocket } from './listening-socket.ts';
import { SOCKET_NAME } from './workerd-config.ts';

/** workerd compiles its modules and opens a socket in about 0.1 s; a loaded machine may take longer. */
const LISTENS_WITHIN_MS = 30_000;

/** When asked to end, workerd waits for open connections, and terminals stay open. Its storage survives a kill. */
const STOP_WITHIN_MS = 500;

/** How much of its last output is shown when it fails to start. */
const LAST_WORDS_MAX_CHARS = 2_000;

interface WorkerdOptions {
  readonly configFile: string;
  /** Where it listens; the configuration only names the socket. */
  readonly host: string;
  readonly port: number;
  /** Its whole environment. Settings and secrets are passed here: other users can read arguments, but not this. */
  readonly env: Readonly<Record<string, string>>;
  /** Receives what it prints, line by line, with repeated lines folded. */
  readonly log: (line: string) => void;
}

export interface Workerd {
  readonly port: number;
  readonly pid: number;
  /** Resolves when the process has ended, with the cause. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

/** Resolves when the socket listens. Throws a StartError if it does not. */
export async function startWorkerd(options: WorkerdOptions): Promise<Workerd> {
  const { configFile, env, host, log } = options;
  const binary = workerdBinary();
  const socket = await openListeningSocket(host, options.port);
  const child = spawn(
    binary,
    ['serve', '--import-path=/', '--control-fd=3', `--socket-fd=${SOCKET_NAME}=4`, configFile],
    // In its own process group, so that Ctrl-C in our terminal reaches only this process, which ends the others in the
    // right order.
    { env, stdio: ['ignore', 'pipe', 'pipe', 'pipe', descriptorOf(socket)], detached: true },
  );
  socket.close();
  const ended = howItEnds(child);
  let lastWords = '';
  for (const stream of [child.stdout, child.stderr]) {
    const lines = new FoldedLog(systemClock, log);
    stream?.setEncoding('utf8');
    stream?.on('data', (text: string) => {
      lastWords = (lastWords + text).slice(-LAST_WORDS_MAX_CHARS);
      lines.read(text);
    });
    stream?.on('close', () => lines.close());
  }
  void ended.then(endWithParent(child));
  try {
    const port = await listeningPort(child, ended, () => lastWords.trim());
    return { port, pid: child.pid ?? -1, ended, stop: () => stop(child, ended) };
  } catch (error) {
    await stop(child, ended);
    throw error;
  }
}

/** Only a relay needs workerd; an installation for an agent may leave it out. */
function workerdBinary(): string {
  try {
    return createRequire(import.meta.url)('workerd').default;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    throw new StartError(
      'workerd is not installed here: install holdfast without --omit=optional to run a relay.',
    );
  }
}

/** The port, which workerd reports on the control descriptor once the socket listens. */
function listeningPort(
  child: ChildProcess,
  ended: Promise<string>,
  lastWords: () => string,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(
      () => reject(new StartError(`The relay did not listen within ${LISTENS_WITHIN_MS / 1000} s.`)),
      LISTENS_WITHIN_MS,
    );
    createInterface({ input: child.stdio[3] as Readable }).on('line', (line) => {
      const { event, port } = JSON.parse(line) as { event?: string; port?: number };
      if (event !== 'listen' || port === undefined) return;
      clearTimeout(late);
      resolve(port);
    });
    void ended.then((how) => {
      clearTimeout(late);
      reject(new StartError(`The relay did not start (${how}). Output of workerd: ${lastWords()}`));
    });
  });
}

async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
  await ended;
  clearTimeout(timer);
}

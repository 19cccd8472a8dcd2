/**
 * Runs the agent's keeper as a child process, with the agent's settings in flags and a clean environment. It ends when
 * this process does.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { howItEnds } from '../../node/child-process.ts';
import { endWithParent } from '../../node/end-with-parent.ts';
import { PROJECT } from '../../node/project.ts';

/** Runs the source in a development checkout, else the built agent. The keeper starts the agent. */
const entry = fileURLToPath(
  import.meta.url.endsWith('.ts')
    ? new URL('vm-agent/keeper/main.ts', PROJECT)
    : new URL('dist/agent/keeper.js', PROJECT),
);

/** The variables of the user's environment that a shell needs; none of npm's. */
const PASSED_ON = /^(HOME|LOGNAME|PATH|SHELL|TMPDIR|TZ|USER|XDG_RUNTIME_DIR|LANG|LANGUAGE|LC_\w+)$/;

/**
 * glibc's own default, in bytes. Unless it is set, glibc raises the threshold to the size of the last large block
 * freed, and the memory of a screen that falls asleep then stays in the process.
 */
const MALLOC = { MALLOC_MMAP_THRESHOLD_: '131072' };

/** Longer than the keeper takes to end its shells, even if the agent hangs. */
const STOP_WITHIN_MS = 7_000;

export interface LocalAgent {
  /** Resolves when the keeper has ended, with the cause: `exit code 0`, `SIGKILL`. */
  readonly ended: Promise<string>;
  /** The keeper's. */
  readonly pid: number;
  stop(): Promise<void>;
}

export interface LocalAgentOptions {
  readonly relay: URL;
  readonly workspace: string;
  readonly tokenFile: string;
  readonly flags?: readonly string[];
  /** The program to run in place of the source with this Node: another Node, or the built agent. */
  readonly program?: readonly [program: string, ...args: string[]];
  /** The user to run the agent as, if not the current one. */
  readonly uid?: number;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** A file with a certificate that the agent trusts, besides those of the system. */
  readonly certificate?: string;
  /** Receives the agent's log output as it arrives. */
  readonly log?: (text: string) => void;
  /**
   * Runs the agent in its own process group, so that Ctrl-C in our terminal does not reach it, and ends it when this
   * process is killed.
   */
  readonly isOurs?: boolean;
}

export function startLocalAgent(options: LocalAgentOptions): LocalAgent {
  const flags = [
    '--relay',
    options.relay.href,
    '--workspace',
    options.workspace,
    '--token-file',
    options.tokenFile,
  ];
  const [program, ...args] = options.program ?? [process.execPath, entry];
  const child = spawn(program, [...args, ...flags, ...(options.flags ?? [])], {
    env: { ...cleanEnvironment(options.env ?? process.env), ...MALLOC, ...trusting(options.certificate) },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: options.isOurs === true,
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
  });
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (text: string) => options.log?.(text));
  const ended = howItEnds(child);
  if (options.isOurs) void ended.then(endWithParent(child));
  return { ended, pid: child.pid ?? -1, stop: () => stop(child, ended) };
}

async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
  await ended;
  clearTimeout(timer);
}

/** Node's own variable. Shells do not inherit it. */
function trusting(certificate: string | undefined): Record<string, string> {
  return certificate === undefined ? {} : { NODE_EXTRA_CA_CERTS: certificate };
}

export function cleanEnvironment(own: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept = Object.entries(own).filter(([name, value]) => value !== undefined && PASSED_ON.test(name));
  const env = Object.fromEntries(kept) as Record<string, string>;
  // npm prepends the project's own bin folders, which are not part of the user's PATH.
  env.PATH = (env.PATH ?? '')
    .split(':')
    .filter((dir) => !/node_modules\/(\.bin|.*node-gyp-bin)$/.test(dir))
    .join(':');
  return env;
}

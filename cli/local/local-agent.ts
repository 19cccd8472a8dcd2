/** The agent as a child process: settings by flags, a clean environment, ended with us. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { howItEnds } from '../../node/child-process.ts';
import { endWithParent } from '../../node/end-with-parent.ts';
import { PROJECT } from '../../node/project.ts';

/** From source in a source checkout under development, else as built. */
const entry = fileURLToPath(
  import.meta.url.endsWith('.ts')
    ? new URL('vm-agent/main.ts', PROJECT)
    : new URL('dist/agent/main.js', PROJECT),
);

/** What a shell needs of the person's own environment; nothing of npm's. */
const PASSED_ON = /^(HOME|LOGNAME|PATH|SHELL|TMPDIR|TZ|USER|XDG_RUNTIME_DIR|LANG|LANGUAGE|LC_\w+)$/;

/**
 * glibc's own default, in bytes. Left alone it is raised to the size of whatever large was freed last, and from
 * then on the memory of a screen that falls asleep stays in the process.
 */
const MALLOC = { MALLOC_MMAP_THRESHOLD_: '131072' };

/** Longer than the agent itself takes to end its shells. */
const STOP_WITHIN_MS = 4_000;

export interface LocalAgent {
  /** Resolves when the process has ended, with how: `exit code 0`, `SIGKILL`. */
  readonly ended: Promise<string>;
  readonly pid: number;
  stop(): Promise<void>;
}

interface LocalAgentOptions {
  readonly relay: URL;
  readonly workspace: string;
  readonly tokenFile: string;
  readonly flags?: readonly string[];
  /** What to run instead of the source with this Node: another Node, the built agent. */
  readonly program?: readonly [program: string, ...args: string[]];
  /** Whose agent it is, if not ours. */
  readonly uid?: number;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Receives what it logs, as it comes. */
  readonly log?: (text: string) => void;
  /**
   * In a process group of its own, so that Ctrl-C in our terminal is for us alone, and ended when we are killed.
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
    env: { ...cleanEnvironment(options.env ?? process.env), ...MALLOC },
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

export function cleanEnvironment(own: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept = Object.entries(own).filter(([name, value]) => value !== undefined && PASSED_ON.test(name));
  const env = Object.fromEntries(kept) as Record<string, string>;
  // npm puts the project's own bin folders first; they are not the person's.
  env.PATH = (env.PATH ?? '')
    .split(':')
    .filter((dir) => !/node_modules\/(\.bin|.*node-gyp-bin)$/.test(dir))
    .join(':');
  return env;
}

/**
 * The agent's settings. Flags override the environment, which overrides the settings file. A bad value is reported in
 * one sentence that names the setting, the value and what is expected.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { SESSIONS_MAX } from '../../protocol/limits.ts';
import { isRegion, REGIONS, WORKSPACE_NAME } from '../../protocol/token.ts';
import { parseEnvFile } from './env-file.ts';
import { NO_KEEPER } from './wants-keeper.ts';

export const DEFAULT_ENV_FILE = '/etc/workspace/agent.env';

/** A setting that cannot be used. Its message is shown to the user, and the exit code is 2. */
export class ConfigError extends Error {}

export interface Setting<T> {
  /** Name in the environment and in the settings file; the flag is the same in lower case with dashes. */
  readonly variable: string;
  readonly flag: string;
  /** Undefined if the setting is required. */
  readonly fallback: T | undefined;
  /** The default in words, if it depends on other settings. */
  readonly fallbackText?: string;
  /** What it does, for `--help`. */
  readonly meaning: string;
  /** What a value must be; completes "… is not …". */
  readonly wanted: string;
  /** Returns undefined for a bad value. */
  readonly parse: (text: string) => T | undefined;
}

/** Longer than anybody waits; a larger number is a mistake. */
const YEAR_S = 365 * 24 * 3600;

const setting = <T>(definition: Setting<T>): Setting<T> => definition;

function wholeNumber(min: number, max: number) {
  return (text: string) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  };
}

export const SETTINGS = {
  relay: setting({
    variable: 'HOLDFAST_RELAY',
    flag: '--relay',
    fallback: undefined,
    meaning: 'address of the relay',
    wanted: 'an http:// or https:// address',
    parse: (text) => (/^https?:\/\//.test(text) && URL.canParse(text) ? text : undefined),
  }),
  workspace: setting({
    variable: 'HOLDFAST_WORKSPACE',
    flag: '--workspace',
    fallback: undefined,
    meaning: 'the workspace this machine serves',
    wanted: 'a name of 1 to 64 letters, digits, - and _',
    parse: (text) => (WORKSPACE_NAME.test(text) ? text : undefined),
  }),
  tokenFile: setting({
    variable: 'HOLDFAST_TOKEN_FILE',
    flag: '--token-file',
    fallback: undefined,
    meaning: 'file with the agent token, readable by its owner only; read again before each dial',
    wanted: 'the path of a file',
    parse: (text) => (text === '' ? undefined : text),
  }),
  keyFile: setting({
    variable: 'HOLDFAST_KEY_FILE',
    flag: '--key-file',
    fallback: '',
    fallbackText: '`agent-key` beside the token file',
    meaning:
      'file with the key that identifies this machine to the relay; created at the first start; never copy it to another machine',
    wanted: 'the path of a file',
    parse: (text) => (text === '' ? undefined : text),
  }),
  healthPort: setting({
    variable: 'HOLDFAST_HEALTH_PORT',
    flag: '--health-port',
    fallback: 0,
    meaning: 'port on 127.0.0.1 for /health and /metrics; 0 turns them off',
    wanted: 'a port number from 0 to 65535',
    parse: wholeNumber(0, 65_535),
  }),
  region: setting({
    variable: 'HOLDFAST_REGION',
    flag: '--region',
    fallback: '',
    meaning: 'region of this machine; its workspace is placed there on the very first connection',
    wanted: `one of ${REGIONS.join(', ')}`,
    parse: (text) => (text === '' || isRegion(text) ? text : undefined),
  }),
  outputBufferBytes: setting({
    variable: 'PTY_OUTPUT_BUFFER_SIZE',
    flag: '--output-buffer-size',
    fallback: 262_144,
    meaning: 'bytes of output kept per session for resuming',
    wanted: 'a number of bytes from 1024 to 67108864',
    parse: wholeNumber(1024, 64 * 1024 * 1024),
  }),
  scrollbackLines: setting({
    variable: 'PTY_SCROLLBACK_LINES',
    flag: '--scrollback-lines',
    fallback: 5000,
    meaning: 'lines above the screen that a snapshot keeps',
    wanted: 'a number of lines from 0 to 100000',
    parse: wholeNumber(0, 100_000),
  }),
  widths: setting<'clusters' | 'code-points'>({
    variable: 'PTY_CHARACTER_WIDTHS',
    flag: '--character-widths',
    fallback: 'clusters',
    meaning:
      'how new sessions measure text: `clusters` counts an emoji with its modifiers as one character, `code-points` counts each code point, as the C library does',
    wanted: '`clusters` or `code-points`',
    parse: (text) => (text === 'clusters' || text === 'code-points' ? text : undefined),
  }),
  shellMarks: setting<'on' | 'off'>({
    variable: 'PTY_SHELL_MARKS',
    flag: '--shell-marks',
    fallback: 'on',
    meaning:
      'whether bash, zsh and fish tell where each command, its output and its end are; `off` starts them as they are',
    wanted: '`on` or `off`',
    parse: (text) => (text === 'on' || text === 'off' ? text : undefined),
  }),
  stateDir: setting({
    variable: 'PTY_STATE_DIR',
    flag: '--state-dir',
    fallback: '',
    meaning: 'directory where sessions are saved for a restart of the agent; empty saves nothing',
    wanted: 'an absolute path',
    parse: (text) => (text === '' || text.startsWith('/') ? text : undefined),
  }),
  stateQuotaBytes: setting({
    variable: 'PTY_STATE_QUOTA',
    flag: '--state-quota',
    fallback: 268_435_456,
    meaning: 'maximum size of that directory in bytes',
    wanted: 'a number of bytes from 1048576 to 1099511627776',
    parse: wholeNumber(1024 * 1024, 2 ** 40),
  }),
  orphanGraceSeconds: setting({
    variable: 'PTY_ORPHAN_GRACE_PERIOD',
    flag: '--orphan-grace-period',
    fallback: 0,
    meaning: 'seconds a session is kept after its last client left; 0 keeps it until it is closed',
    wanted: 'a number of seconds from 0 to 31536000',
    parse: wholeNumber(0, YEAR_S),
  }),
  idleTimeoutSeconds: setting({
    variable: 'PTY_IDLE_TIMEOUT',
    flag: '--idle-timeout',
    fallback: 0,
    meaning: 'seconds without input and output after which a session is closed; 0 disables this',
    wanted: 'a number of seconds from 0 to 31536000',
    parse: wholeNumber(0, YEAR_S),
  }),
  exitedKeepSeconds: setting({
    variable: 'PTY_EXITED_KEEP',
    flag: '--exited-keep',
    fallback: 600,
    meaning:
      'seconds a session whose program has ended stays readable after its last client left; 0 keeps it until it is closed',
    wanted: 'a number of seconds from 0 to 31536000',
    parse: wholeNumber(0, YEAR_S),
  }),
  maxSessionsPolicy: setting<'refuse' | 'evict-oldest-orphan'>({
    variable: 'PTY_MAX_SESSIONS_POLICY',
    flag: '--max-sessions-policy',
    fallback: 'refuse',
    meaning: 'what happens when a session is requested and the limit is reached',
    wanted: '`refuse` or `evict-oldest-orphan`',
    parse: (text) => (text === 'refuse' || text === 'evict-oldest-orphan' ? text : undefined),
  }),
  maxSessions: setting({
    variable: 'PTY_MAX_SESSIONS',
    flag: '--max-sessions',
    fallback: 64,
    meaning: 'how many sessions may run at once',
    wanted: `a whole number from 1 to ${SESSIONS_MAX}, which is what the relay keeps`,
    parse: wholeNumber(1, SESSIONS_MAX),
  }),
} satisfies Record<string, Setting<unknown>>;

export type AgentConfig = {
  readonly [K in keyof typeof SETTINGS]: NonNullable<ReturnType<(typeof SETTINGS)[K]['parse']>>;
};

type Variables = Readonly<Record<string, string | undefined>>;

export function readConfig(args: readonly string[], environment: Variables): AgentConfig {
  const flags = readFlags(args);
  const file = readEnvFile(flags.get('--env-file'));
  const entries = Object.entries(SETTINGS).map(([name, setting]) => {
    const { flag, variable } = setting as Setting<unknown>;
    const text = flags.get(flag) ?? environment[variable] ?? file.get(variable);
    return [name, resolve(setting as Setting<unknown>, text)];
  });
  const config = Object.fromEntries(entries) as AgentConfig;
  return { ...config, keyFile: config.keyFile || join(dirname(config.tokenFile), 'agent-key') };
}

/** The workspace that these settings name, valid or not; undefined if they name none. */
export function namedWorkspace(args: readonly string[], environment: Variables): string | undefined {
  const flags = readFlags(args);
  const { flag, variable } = SETTINGS.workspace;
  return flags.get(flag) ?? environment[variable] ?? readEnvFile(flags.get('--env-file')).get(variable);
}

function resolve(setting: Setting<unknown>, text: string | undefined): unknown {
  const { variable, flag, fallback, wanted, parse } = setting;
  if (text === undefined && fallback !== undefined) return fallback;
  if (text === undefined)
    throw new ConfigError(`${variable} is missing: give ${wanted} in ${variable} or ${flag}.`);
  const value = parse(text);
  if (value === undefined)
    throw new ConfigError(`${variable} is ${JSON.stringify(text)}, which is not ${wanted}.`);
  return value;
}

function readFlags(args: readonly string[]): Map<string, string> {
  const known = ['--env-file', ...Object.values(SETTINGS).map(({ flag }) => flag)];
  const options: Record<string, { type: 'string' | 'boolean' }> = {
    [NO_KEEPER.slice(2)]: { type: 'boolean' },
  };
  for (const flag of known) options[flag.slice(2)] = { type: 'string' };
  // Not strict: a value may begin with a dash, and unknown options are reported in a sentence of ours.
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const flags = new Map<string, string>();
  for (const token of tokens) {
    if (args[token.index] === NO_KEEPER) continue; // of whoever started this process
    const [typed = ''] = (args[token.index] ?? '').split('=');
    if (token.kind !== 'option' || !known.includes(typed))
      throw new ConfigError(`unknown option ${typed}; options are ${[...known, NO_KEEPER].join(', ')}.`);
    if (token.value === undefined) throw new ConfigError(`${typed} needs a value.`);
    flags.set(typed, token.value);
  }
  return flags;
}

/** The default file may be missing; a file that was named explicitly may not. */
function readEnvFile(asked: string | undefined): Map<string, string> {
  const path = asked ?? DEFAULT_ENV_FILE;
  if (!existsSync(path)) {
    if (asked === undefined) return new Map();
    throw new ConfigError(`--env-file names ${asked}, which does not exist.`);
  }
  try {
    return parseEnvFile(readFileSync(path, 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      `The settings file ${path} cannot be read (${code}); make it a file that this user may read.`,
    );
  }
}

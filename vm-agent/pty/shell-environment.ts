/**
 * Builds the initial environment of a shell. It uses an allow-list, so that none of the agent's own variables leak, and
 * sets a UTF-8 locale and the terminal type.
 */
import { userInfo } from 'node:os';

type Variables = Readonly<Record<string, string | undefined>>;

const PASSED_ON = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TMPDIR', 'TZ', 'USER', 'XDG_RUNTIME_DIR'];
const LOCALE = /^(LANG|LANGUAGE|LC_\w+)$/;
const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export function shellEnvironment(own: Variables): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(own)) {
    if (value !== undefined && (PASSED_ON.includes(name) || LOCALE.test(name))) env[name] = value;
  }
  env.PATH ??= DEFAULT_PATH;
  env.HOME ??= homeDirectory(own);
  env.TERM = 'xterm-256color';
  env.COLORTERM = 'truecolor';
  env.TERM_PROGRAM = 'holdfast';
  // Without a UTF-8 locale programs print `?` for non-ASCII characters. C.UTF-8 needs no installed locale.
  if (!isUtf8(env.LC_ALL ?? env.LC_CTYPE ?? env.LANG)) {
    delete env.LC_ALL;
    env.LC_CTYPE = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8';
  }
  return env;
}

export function homeDirectory(own: Variables): string {
  return own.HOME ?? userInfo().homedir;
}

/** The user's own shell, or `sh`, which exists everywhere. */
export function defaultShell(own: Variables): string {
  return own.SHELL || userInfo().shell || '/bin/sh';
}

function isUtf8(locale: string | undefined): boolean {
  return /utf-?8/i.test(locale ?? '');
}

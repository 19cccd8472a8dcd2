/** Checks whether this machine provides what shells need: terminals, a locale, open files, a state directory. */
import { execFile } from 'node:child_process';
import { accessSync, constants, readFileSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Refusal } from '../../protocol/errors.ts';
import type { Pty } from '../pty/pty.ts';
import { defaultShell, homeDirectory, shellEnvironment } from '../pty/shell-environment.ts';
import { spawnPty } from '../pty/spawn-pty.ts';
import type { AgentConfig } from '../settings/config.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

type Variables = Readonly<Record<string, string | undefined>>;

const SHELL_WITHIN_MS = 5_000;

/** A terminal takes two descriptors and its files on disk one or two. Sockets, threads and Node itself need more. */
const FILES_PER_SESSION = 4;
const FILES_BESIDE = 128;

/** Starts the user's own shell in a real terminal and lets it compute something. */
export async function checkShell(own: Variables): Promise<Finding> {
  const command = defaultShell(own);
  const cwd = homeDirectory(own);
  let pty: Pty | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<Finding>((resolve) => {
      const tooLong = warn('shell', `${command} took over 5 s to start; check its startup files.`);
      timer = setTimeout(() => resolve(tooLong), SHELL_WITHIN_MS);
      let printed = '';
      const spec = { command, args: ['-c', 'echo holdfast-$((6*7))'], cwd, env: shellEnvironment(own) };
      pty = spawnPty(
        { ...spec, size: { cols: 80, rows: 24 } },
        {
          output: (bytes) => {
            printed += new TextDecoder().decode(bytes);
          },
          exited: ({ code }) =>
            resolve(
              printed.includes('holdfast-42')
                ? ok('shell', `${command} runs in a terminal, in ${cwd}`)
                : fail('shell', `${command} ended with code ${code} before it ran a command; check SHELL.`),
            ),
        },
      );
    });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return fail('shell', error.message);
  } finally {
    clearTimeout(timer);
    pty?.signal('SIGKILL');
  }
}

/** Asks the system which character set its programs will use. */
export async function checkLocale(own: Variables): Promise<Finding> {
  const env = shellEnvironment(own);
  const locale = env.LC_ALL ?? env.LC_CTYPE ?? env.LANG ?? 'none';
  const charmap = await new Promise<string | null>((resolve) => {
    execFile('locale', ['charmap'], { env }, (error, out) => resolve(error === null ? out.trim() : null));
  });
  return judgeLocale(locale, charmap);
}

/** `charmap`: the character set the system derives from the locale; null if unknown. */
export function judgeLocale(locale: string, charmap: string | null): Finding {
  if (charmap === null)
    return ok('locale', `shells get ${locale}; this system cannot report its character set`);
  if (charmap === 'UTF-8') return ok('locale', `shells get ${locale}, which is UTF-8`);
  return warn(
    'locale',
    `${locale} is not installed here, so shells get ${charmap}: install it, or set LANG=C.UTF-8.`,
  );
}

export function checkOpenFiles(limit: number | null, { maxSessions }: AgentConfig): Finding {
  const wanted = maxSessions * FILES_PER_SESSION + FILES_BESIDE;
  if (limit === null) return ok('open files', 'this system reports no limit');
  if (limit >= wanted)
    return ok('open files', `${limit} allowed, ${wanted} are enough for ${maxSessions} sessions`);
  return warn(
    'open files',
    `${limit} are too few for ${maxSessions} sessions: allow ${wanted} (ulimit -n, LimitNOFILE=), or lower PTY_MAX_SESSIONS.`,
  );
}

/** The soft limit of this process; null if the system does not report one or has none. */
export function openFilesLimit(): number | null {
  const [, soft] = /^Max open files\s+(\d+)/m.exec(readText('/proc/self/limits') ?? '') ?? [];
  return soft === undefined ? null : Number(soft);
}

export function checkTerminals({ maxSessions }: AgentConfig): Finding {
  const [max, used] = ['max', 'nr'].map((name) =>
    Number(readText(`/proc/sys/kernel/pty/${name}`) ?? Number.NaN),
  );
  if (max === undefined || used === undefined || Number.isNaN(max - used))
    return ok('terminals', 'this system reports no limit');
  if (max - used >= maxSessions) return ok('terminals', `${used} of ${max} are in use`);
  return warn(
    'terminals',
    `${used} of ${max} are in use, too many for ${maxSessions} sessions: raise kernel.pty.max.`,
  );
}

/** If the directory does not exist yet, its parent is checked. */
export function checkStateDirectory({ stateDir, stateQuotaBytes }: AgentConfig): Finding {
  const about = 'state directory';
  if (stateDir === '') return ok(about, 'off: sessions end with the agent (PTY_STATE_DIR)');
  try {
    const place = exists(stateDir) ? stateDir : dirname(stateDir);
    accessSync(place, constants.R_OK | constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(place);
    const free = bavail * bsize;
    if (free < stateQuotaBytes)
      return warn(
        about,
        `${place} has ${megabytes(free)} free, less than PTY_STATE_QUOTA (${megabytes(stateQuotaBytes)}).`,
      );
    const owner = statSync(place).uid;
    if (place === stateDir && owner !== (process.getuid?.() ?? owner))
      return fail(
        about,
        `${stateDir} belongs to another user (${owner}); choose another directory, or chown it.`,
      );
    const isOpen = place === stateDir && (statSync(place).mode & 0o077) !== 0;
    if (isOpen)
      return warn(
        about,
        `${stateDir} may be read by others, and holds the output of terminals; run chmod 700 on it.`,
      );
    return ok(about, `${stateDir} can be used, ${megabytes(free)} free`);
  } catch (error) {
    return fail(
      about,
      `${stateDir} cannot be used (${(error as NodeJS.ErrnoException).code}): create it for this user, chmod 700.`,
    );
  }
}

export function checkUser(uid: number | undefined): Finding {
  if (uid !== 0) return ok('user', `shells run as uid ${uid ?? 'unknown'}`);
  return warn('user', 'Shells will run as root; run the agent as the user that shells should run as.');
}

const megabytes = (bytes: number) => `${Math.floor(bytes / 1_000_000)} MB`;

function exists(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

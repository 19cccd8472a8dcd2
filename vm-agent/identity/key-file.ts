/**
 * Reads the agent's key file, or creates it if there is none. Creation is atomic, two agents that start at once end up
 * with the same key, and an unusable file is reported but never replaced. Rule AK8.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { decodeKey } from '../../protocol/agent-key.ts';
import { encodeBase64url } from '../../protocol/base64url.ts';
import { AgentKey } from './agent-key.ts';

export type KeyReading =
  | { readonly kind: 'key'; readonly key: AgentKey }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unusable'; readonly why: string };

/** The line includes the version, so that the format of a later version is not mistaken for this one. */
const FORMAT = /^holdfast-agent-key-v1 ([\w-]{43})\n?$/;

/** Far more than a key needs. */
const FILE_MAX_BYTES = 1024;

const OWNER_ONLY = 0o600;

/** Null for anything but a key file as written by this version. */
export function decodeKeyFile(text: string): Uint8Array | null {
  const [, secret] = FORMAT.exec(text) ?? [];
  return secret === undefined ? null : decodeKey(secret);
}

export function encodeKeyFile(secret: Uint8Array): string {
  return `holdfast-agent-key-v1 ${encodeBase64url(secret)}\n`;
}

/** Only reads; never creates a file. */
export function readKeyFile(path: string, uid = process.geteuid?.()): KeyReading {
  try {
    return withFile(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK, (file) => {
      const { mode, uid: owner, size } = fstatSync(file);
      const why = whyNotPrivate(path, mode, owner, uid);
      if (why !== null) return unusable(why);
      const secret = size > FILE_MAX_BYTES ? null : decodeKeyFile(contentOf(file));
      if (secret === null) return unusable(DAMAGED(path));
      return { kind: 'key', key: new AgentKey(secret) };
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { kind: 'missing' };
    if (code === 'ELOOP')
      return unusable(`The key file ${path} is a symbolic link; put the file itself there.`);
    return unusable(`The key file ${path} cannot be read (${code}).`);
  }
}

/** Reads the key, or creates one. `written` runs before the new file gets its name; tests use it to interfere. */
export function openKeyFile(
  path: string,
  written: () => void = () => {},
): Exclude<KeyReading, { kind: 'missing' }> {
  const found = readKeyFile(path);
  if (found.kind !== 'missing') return found;
  try {
    create(path, encodeKeyFile(AgentKey.makeSecret()), written);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return unusable(
      `The key file ${path} cannot be created (${code}): let this user write there, or set HOLDFAST_KEY_FILE.`,
    );
  }
  const made = readKeyFile(path);
  return made.kind === 'missing' ? unusable(`The key file ${path} was removed meanwhile.`) : made;
}

/** Written under a temporary name, then linked: the file appears complete, and never replaces an existing one. */
function create(path: string, content: string, written: () => void): void {
  const temporary = `${path}.${randomBytes(8).toString('hex')}.tmp`;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  try {
    withFile(temporary, flags, (file) => {
      writeSync(file, content);
      fsyncSync(file);
    });
    written();
    linkSync(temporary, path);
  } catch (error) {
    // Another agent was faster; use its key.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
  withFile(dirname(path), constants.O_RDONLY, fsyncSync);
}

function whyNotPrivate(path: string, mode: number, owner: number, uid: number | undefined): string | null {
  if ((mode & constants.S_IFMT) !== constants.S_IFREG) return `The key file ${path} is not a file.`;
  if (uid !== undefined && owner !== uid) {
    return `The key file ${path} belongs to another user (uid ${owner}); run chown on it, or set HOLDFAST_KEY_FILE.`;
  }
  if ((mode & 0o077) !== 0) {
    const shown = (mode & 0o777).toString(8);
    return `The key file ${path} may be read by others (mode ${shown}); run chmod 600 on it, or remove it if they may have read it.`;
  }
  return null;
}

const DAMAGED = (path: string) =>
  `The key file ${path} is damaged. Restore it, or remove it: the agent then makes a new key, which needs a token with \`repin: true\` or \`holdfast agent-key reset\` once.`;

/** No shell inherits the descriptor: Node opens every file with close-on-exec. */
function withFile<T>(path: string, flags: number, use: (file: number) => T): T {
  const file = openSync(path, flags, OWNER_ONLY);
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}

function contentOf(file: number): string {
  const buffer = Buffer.alloc(FILE_MAX_BYTES);
  return buffer.toString('utf8', 0, readSync(file, buffer));
}

function unusable(why: string): { readonly kind: 'unusable'; readonly why: string } {
  return { kind: 'unusable', why };
}

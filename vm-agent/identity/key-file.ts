/**
 * The file of the agent's key: read, or made where there is none. It is made as a whole or not at all, two agents that
 * start at once end up with the same key, and a file that cannot be used is reported and never replaced. Rule AK8.
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

/** The version is part of the line: what a later one writes is not taken for a key of this one. */
const FORMAT = /^holdfast-agent-key-v1 ([\w-]{43})\n?$/;

/** Far more than a key takes. */
const FILE_MAX_BYTES = 1024;

const OWNER_ONLY = 0o600;

/** Null for anything but a key file as we write it. */
export function decodeKeyFile(text: string): Uint8Array | null {
  const [, secret] = FORMAT.exec(text) ?? [];
  return secret === undefined ? null : decodeKey(secret);
}

export function encodeKeyFile(secret: Uint8Array): string {
  return `holdfast-agent-key-v1 ${encodeBase64url(secret)}\n`;
}

/** Makes nothing: for who only looks. */
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

/** Reads the key, and makes one where there is none. `written` runs before a new one gets its name; tests interfere there. */
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
      `The key file ${path} cannot be made (${code}): let this user write there, or set HOLDFAST_KEY_FILE.`,
    );
  }
  const made = readKeyFile(path);
  return made.kind === 'missing' ? unusable(`The key file ${path} has vanished.`) : made;
}

/** Written under another name, then linked: the name appears with the whole content, and only if there was none. */
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
    // Another agent was faster; its key is ours.
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

/** A descriptor that no shell inherits: Node opens every file close-on-exec. */
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

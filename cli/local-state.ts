/**
 * What `npm start` keeps between runs: the relay's secret, the agent's token, the relay's storage. One run at a
 * time: two relays on one storage would each overwrite what the other knows.
 */
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lockDirectory, StateDirectoryError } from '../vm-agent/disk/directory-lock.ts';
import { StartError } from './start-error.ts';

/** HS256 wants a key as long as its output; a shorter secret can be guessed. */
const SECRET_MIN_BYTES = 32;

export class LocalState {
  readonly #dir: string;
  /** Lets the next run in. */
  readonly release: () => Promise<void>;

  private constructor(dir: string, release: () => Promise<void>) {
    this.#dir = dir;
    this.release = release;
  }

  /** Makes the directory, for its owner only, when it is not there. */
  static async open(dir: string): Promise<LocalState> {
    try {
      await mkdir(dir, { recursive: true, mode: 0o700 });
      const lock = await lockDirectory(dir);
      return new LocalState(dir, () => lock.release());
    } catch (error) {
      if (error instanceof StateDirectoryError) throw new StartError(error.message);
      const { code } = error as NodeJS.ErrnoException;
      throw new StartError(
        `The state directory ${dir} can not be used (${code}); set HOLDFAST_STATE_DIR to another.`,
      );
    }
  }

  get relayDir(): string {
    return join(this.#dir, 'relay');
  }

  get secretFile(): string {
    return join(this.#dir, 'relay-secret');
  }

  get previousSecretFile(): string {
    return join(this.#dir, 'relay-secret-previous');
  }

  get agentTokenFile(): string {
    return join(this.#dir, 'agent-token');
  }

  /** Signs every token of this installation; made once, so that links and cookies outlive a restart. `own`: a file
   * that must be there already. */
  async secret(own?: string): Promise<string> {
    const file = own ?? this.secretFile;
    try {
      return await checkedSecret(file);
    } catch (error) {
      if (error instanceof StartError) throw error;
      const { code } = error as NodeJS.ErrnoException;
      if (own !== undefined) throw new StartError(`${own} can not be read (${code}).`);
      if (code !== 'ENOENT') throw error;
      const secret = randomBytes(32).toString('base64url');
      await writePrivate(file, secret);
      return secret;
    }
  }

  /** The secret before this one, while it is being replaced; undefined when there is none. `own`: a file that must be there. */
  async previousSecret(own?: string): Promise<string | undefined> {
    try {
      return await checkedSecret(own ?? this.previousSecretFile);
    } catch (error) {
      if (error instanceof StartError) throw error;
      const { code } = error as NodeJS.ErrnoException;
      if (own === undefined && code === 'ENOENT') return undefined;
      throw new StartError(`${own ?? this.previousSecretFile} can not be read (${code}).`);
    }
  }

  async writeAgentToken(token: string): Promise<void> {
    await writePrivate(this.agentTokenFile, token);
  }
}

async function writePrivate(file: string, text: string): Promise<void> {
  await writeFile(file, `${text}\n`, { mode: 0o600 });
  // `mode` counts only when the file is new.
  await chmod(file, 0o600);
}

async function checkedSecret(file: string): Promise<string> {
  const mode = (await stat(file)).mode & 0o777;
  if ((mode & 0o077) !== 0) throw new StartError(`${file} may be read by others; run chmod 600 on it.`);
  const secret = (await readFile(file, 'utf8')).trim();
  if (Buffer.byteLength(secret) < SECRET_MIN_BYTES) {
    throw new StartError(
      `${file} holds fewer than ${SECRET_MIN_BYTES} bytes; delete it to have a new one made.`,
    );
  }
  return secret;
}

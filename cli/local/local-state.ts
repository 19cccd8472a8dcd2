/**
 * The state that `npm start` and `holdfast up` keep between runs: the relay's secret, the agent's token and the relay's storage. Only
 * one run at a time may use it, because two relays on one storage would overwrite each other's data.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { lockDirectory, StateDirectoryError } from '../../node/directory-lock.ts';
import {
  makeSecretDirectory,
  readNamedSecret,
  readPrivateFile,
  writePrivateFile,
} from '../../node/private-file.ts';
import { StartError } from '../../node/start-error.ts';
import { keepOwner, type RelayOwner } from '../owner/owner-key.ts';

/** HS256 needs a key as long as its output; a shorter secret can be guessed. */
const SECRET_MIN_BYTES = 32;

export class LocalState {
  readonly #dir: string;
  /** Releases the lock, so that another run can start. */
  readonly release: () => Promise<void>;

  private constructor(dir: string, release: () => Promise<void>) {
    this.#dir = dir;
    this.release = release;
  }

  /**
   * Creates the directory, accessible to its owner only, if it does not exist. A directory owned by another user is
   * refused.
   */
  static async open(dir: string): Promise<LocalState> {
    try {
      await makeSecretDirectory(dir);
      const lock = await lockDirectory(dir);
      const state = new LocalState(dir, () => lock.release());
      await makeSecretDirectory(state.relayDir);
      return state;
    } catch (error) {
      if (error instanceof StartError) throw error;
      if (error instanceof StateDirectoryError) throw new StartError(error.message);
      const { code } = error as NodeJS.ErrnoException;
      throw new StartError(
        `The state directory ${dir} cannot be used (${code}); set HOLDFAST_STATE_DIR to another.`,
      );
    }
  }

  /** For tokens of a relay that is running, and holds the lock. */
  static unlocked(dir: string): LocalState {
    return new LocalState(dir, async () => {});
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

  /**
   * The secret that signs every token of this installation. It is created once, so that links and cookies survive a
   * restart. `own`: a file that must already exist.
   */
  async secret(own?: string): Promise<string> {
    const file = own ?? this.secretFile;
    try {
      return checkedSecret(file, await (own === undefined ? readPrivateFile : readNamedSecret)(file));
    } catch (error) {
      if (error instanceof StartError) throw error;
      const { code } = error as NodeJS.ErrnoException;
      if (own !== undefined) throw new StartError(`${own} cannot be read (${code}).`);
      if (code !== 'ENOENT') throw error;
      const secret = randomBytes(32).toString('base64url');
      await writePrivateFile(file, `${secret}\n`);
      return secret;
    }
  }

  /** The previous secret, while it is being replaced; undefined when there is none. `own`: a file that must exist. */
  async previousSecret(own?: string): Promise<string | undefined> {
    try {
      const file = own ?? this.previousSecretFile;
      return checkedSecret(file, await (own === undefined ? readPrivateFile : readNamedSecret)(file));
    } catch (error) {
      if (error instanceof StartError) throw error;
      const { code } = error as NodeJS.ErrnoException;
      if (own === undefined && code === 'ENOENT') return undefined;
      throw new StartError(`${own ?? this.previousSecretFile} cannot be read (${code}).`);
    }
  }

  /** The key of the relay's owner, made once. `relay`: where the relay is reached, once it is known. */
  owner(relay?: URL): Promise<RelayOwner> {
    return keepOwner(this.#dir, relay);
  }

  async writeAgentToken(token: string): Promise<void> {
    await writePrivateFile(this.agentTokenFile, `${token}\n`);
  }
}

function checkedSecret(file: string, text: string): string {
  const secret = text.trim();
  if (Buffer.byteLength(secret) >= SECRET_MIN_BYTES) return secret;
  throw new StartError(
    `${file} holds fewer than ${SECRET_MIN_BYTES} bytes; delete it to have a new one made.`,
  );
}

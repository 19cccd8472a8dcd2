/** What `npm start` keeps between runs: the relay's secret, the agent's token, the relay's storage. */
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export class LocalState {
  readonly #dir: string;

  private constructor(dir: string) {
    this.#dir = dir;
  }

  /** Makes the directory, for its owner only, when it is not there. */
  static async open(dir: string): Promise<LocalState> {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await chmod(dir, 0o700);
    return new LocalState(dir);
  }

  get relayDir(): string {
    return join(this.#dir, 'relay');
  }

  get agentTokenFile(): string {
    return join(this.#dir, 'agent-token');
  }

  /** Signs every token of this installation; made once, so that links and cookies outlive a restart. */
  async secret(): Promise<string> {
    const file = join(this.#dir, 'relay-secret');
    try {
      return (await readFile(file, 'utf8')).trim();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      const secret = randomBytes(32).toString('base64url');
      await writePrivate(file, secret);
      return secret;
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

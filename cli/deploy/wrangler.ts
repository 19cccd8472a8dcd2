/** What a deploy needs of a Cloudflare account. Wrangler does it; tests have a stand-in. */

export interface Wrangler {
  isLoggedIn(): Promise<boolean>;
  /** The names of the secrets of a Worker; null if there is no such Worker. Nobody can read their values. */
  secretNames(worker: string): Promise<ReadonlySet<string> | null>;
  /** Resolves with where the Worker is reached, as wrangler names it: addresses, domains and routes. */
  deploy(worker: string): Promise<readonly string[]>;
  /** Uploads nothing and needs no account. Resolves with what wrangler says about it. */
  rehearse(worker: string): Promise<readonly string[]>;
  /** Replaces those that are there. */
  putSecrets(worker: string, secrets: Readonly<Record<string, string>>): Promise<void>;
}

/** Wrangler did not do what it was asked. */
export class WranglerFailure extends Error {
  /** The last lines that it printed: bounded and printable, but somebody else's text. */
  readonly lines: readonly string[];

  /** `sentence`: what failed and what to do about it. */
  constructor(sentence: string, lines: readonly string[]) {
    super(sentence);
    this.lines = lines;
  }
}

/**
 * What happened while nobody saw the page: asked for when somebody is back after a while, shown until it is dismissed.
 * Sessions in which nothing worth telling happened are left out.
 */
import type { WorkspaceClient } from '../../../client/workspace-client.ts';
import type { SessionDigest } from '../../../protocol/messages/digest.ts';
import { byAttention } from '../text/attention-text.ts';
import { isNews } from '../text/digest-text.ts';
import type { LastSeen } from './last-seen.ts';

export interface Away {
  readonly since: Date;
  /** Those that want attention first. */
  readonly sessions: readonly SessionDigest[];
}

interface AwayDigestOptions {
  readonly client: Pick<WorkspaceClient, 'access' | 'onChange' | 'state'> & {
    readonly requests: Pick<WorkspaceClient['requests'], 'digest'>;
  };
  readonly seen: LastSeen;
  readonly now: () => Date;
}

export class AwayDigest {
  readonly #options: AwayDigestOptions;
  readonly #listeners = new Set<() => void>();
  /** Since when, while the machine cannot be asked yet. */
  #asksSince: Date | null = null;
  #away: Away | null = null;

  constructor(options: AwayDigestOptions) {
    this.#options = options;
  }

  readonly current = (): Away | null => this.#away;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Asks once the machine can be asked. Returns a function that stops that. */
  start(): () => void {
    return this.#options.client.onChange(({ of }) => of === 'connection' && this.#ask());
  }

  /** Somebody sees the page again. */
  returned(): void {
    const { now, seen } = this.#options;
    this.#asksSince = seen.awaySince(now()) ?? this.#asksSince;
    seen.note(now());
    this.#ask();
  }

  /** Somebody still sees the page, or does no longer from now on. */
  noteSeen(): void {
    this.#options.seen.note(this.#options.now());
  }

  dismiss(): void {
    this.#set(null);
  }

  #ask(): void {
    const { client } = this.#options;
    const since = this.#asksSince;
    const canTell = client.state.name === 'live' && client.state.agent.can?.includes('digest') === true;
    // It is about all sessions.
    if (since === null || !canTell || client.access.onlySession !== null) return;
    this.#asksSince = null;
    client.requests.digest(since.toISOString()).then(
      (digests) => {
        const sessions = digests.filter(isNews).sort(byAttention);
        if (sessions.length > 0) this.#set({ since, sessions });
      },
      // The connection was lost: it is asked again.
      () => {
        this.#asksSince ??= since;
      },
    );
  }

  #set(away: Away | null): void {
    this.#away = away;
    for (const listener of this.#listeners) listener();
  }
}

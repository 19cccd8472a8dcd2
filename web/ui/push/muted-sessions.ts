/** Sessions of which this browser shows no notifications, in `localStorage`. The oldest are forgotten. */
import * as v from 'valibot';
import { PUSH_MUTES_MAX } from '../../../protocol/limits.ts';
import { id } from '../../../protocol/messages/message-parts.ts';
import type { MutedSessions } from './push-switch.ts';

const storedSchema = v.pipe(v.array(id), v.maxLength(PUSH_MUTES_MAX));

export class StoredMutes implements MutedSessions {
  readonly #storage: Pick<Storage, 'getItem' | 'setItem'>;
  readonly #key: string;

  constructor(storage: Pick<Storage, 'getItem' | 'setItem'>, workspace: string) {
    this.#storage = storage;
    this.#key = `holdfast/muted/${workspace}`;
  }

  /** Read each time: another window may have changed it. */
  get list(): readonly string[] {
    try {
      const stored = v.safeParse(storedSchema, JSON.parse(this.#storage.getItem(this.#key) ?? '[]'));
      return stored.success ? stored.output : [];
    } catch {
      return [];
    }
  }

  change(session: string, isMuted: boolean): void {
    const others = this.list.filter((one) => one !== session);
    const next = isMuted ? [...others, session].slice(-PUSH_MUTES_MAX) : others;
    try {
      this.#storage.setItem(this.#key, JSON.stringify(next));
    } catch {
      // Storage is full or blocked by the browser.
    }
  }
}

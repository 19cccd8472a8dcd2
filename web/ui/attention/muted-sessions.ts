/** Sessions of which this browser shows no notifications, in `localStorage`. The oldest are forgotten. */
import * as v from 'valibot';
import { id } from '../../../protocol/messages/message-parts.ts';

/** As many as a person has open, several times over. */
const MUTES_MAX = 100;

const storedSchema = v.pipe(v.array(id), v.maxLength(MUTES_MAX));

type Store = Pick<Storage, 'getItem' | 'setItem'>;

export class MutedSessions {
  readonly #storage: Store;
  readonly #key: string;

  constructor(storage: Store, workspace: string) {
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

  has(session: string): boolean {
    return this.list.includes(session);
  }

  change(session: string, isMuted: boolean): void {
    const others = this.list.filter((one) => one !== session);
    const next = isMuted ? [...others, session].slice(-MUTES_MAX) : others;
    try {
      this.#storage.setItem(this.#key, JSON.stringify(next));
    } catch {
      // Storage is full or blocked by the browser.
    }
  }
}

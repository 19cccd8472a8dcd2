/** The commands that were used last from the palette, in `localStorage`. The oldest are forgotten. */
import * as v from 'valibot';

/** As many as are seen at once. */
const RECENT_MAX = 5;
const KEY = 'holdfast/recent-commands';

const storedSchema = v.pipe(v.array(v.pipe(v.string(), v.maxLength(32))), v.maxLength(RECENT_MAX));

type Store = Pick<Storage, 'getItem' | 'setItem'>;

export class RecentCommands {
  readonly #storage: Store;

  constructor(storage: Store) {
    this.#storage = storage;
  }

  /** The newest first. Read each time: another window may have changed it. */
  get list(): readonly string[] {
    try {
      const stored = v.safeParse(storedSchema, JSON.parse(this.#storage.getItem(KEY) ?? '[]'));
      return stored.success ? stored.output : [];
    } catch {
      return [];
    }
  }

  used(id: string): void {
    const next = [id, ...this.list.filter((other) => other !== id)].slice(0, RECENT_MAX);
    try {
      this.#storage.setItem(KEY, JSON.stringify(next));
    } catch {
      // Storage is full or blocked by the browser.
    }
  }

  /** `all`, with those that were used last in front. */
  sorted<T extends { readonly id: string }>(all: readonly T[]): T[] {
    const recent = this.list;
    const placeOf = ({ id }: T) => (recent.includes(id) ? recent.indexOf(id) : RECENT_MAX);
    return [...all].sort((a, b) => placeOf(a) - placeOf(b));
  }
}

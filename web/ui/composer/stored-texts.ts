/**
 * What is kept of composed texts in the browser: those that were sent, for all windows of a workspace, and the one that
 * is being written, for this window, over a reload.
 */
import * as v from 'valibot';
import { COMPOSED_KEPT_MAX, COMPOSED_KEPT_MAX_CHARS, COMPOSED_MAX_BYTES } from '../../../protocol/limits.ts';

export type TextStore = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

export const byteLength = (text: string) => new TextEncoder().encode(text).length;

/** Where the texts of a workspace that were sent are kept. */
export const sentTextsKey = (workspace: string) => `holdfast/composed/${workspace}`;

const sentSchema = v.pipe(v.array(v.string()), v.maxLength(COMPOSED_KEPT_MAX));

/** Newest first. */
export class SentTexts {
  readonly #storage: TextStore;
  readonly #key: string;

  constructor(storage: TextStore, workspace: string) {
    this.#storage = storage;
    this.#key = sentTextsKey(workspace);
  }

  /** Read each time: another window may have sent something. */
  get list(): readonly string[] {
    return parsed(sentSchema, () => this.#storage.getItem(this.#key)) ?? [];
  }

  /** The newest that fit are kept. */
  add(text: string): void {
    const all = [text, ...this.list.filter((other) => other !== text)];
    let chars = 0;
    const kept = all.slice(0, COMPOSED_KEPT_MAX).filter((one) => {
      chars += one.length;
      return chars <= COMPOSED_KEPT_MAX_CHARS;
    });
    stored(() => this.#storage.setItem(this.#key, JSON.stringify(kept)));
  }

  clear(): void {
    stored(() => this.#storage.removeItem(this.#key));
  }
}

const draftSchema = v.object({
  text: v.string(),
  /** Was sent, and is not known to have been taken. */
  sending: v.nullable(v.string()),
  isOpen: v.boolean(),
});

export type StoredDraft = v.InferOutput<typeof draftSchema>;

export class DraftMemory {
  readonly #storage: TextStore;
  readonly #key: string;

  constructor(storage: TextStore, workspace: string) {
    this.#storage = storage;
    this.#key = `holdfast/draft/${workspace}`;
  }

  get draft(): StoredDraft {
    const draft = parsed(draftSchema, () => this.#storage.getItem(this.#key));
    return draft ?? { text: '', sending: null, isOpen: false };
  }

  /** A text that is too long to be sent is too long to be kept: the one before it stays. */
  keep(draft: StoredDraft): void {
    if (byteLength(draft.text) > COMPOSED_MAX_BYTES) return;
    stored(() => this.#storage.setItem(this.#key, JSON.stringify(draft)));
  }
}

function parsed<T>(schema: v.GenericSchema<unknown, T>, read: () => string | null): T | null {
  try {
    const found = v.safeParse(schema, JSON.parse(read() ?? 'null'));
    return found.success ? found.output : null;
  } catch {
    return null;
  }
}

/** Storage may be full or blocked by the browser: then nothing is kept. */
function stored(write: () => void): void {
  try {
    write();
  } catch {}
}

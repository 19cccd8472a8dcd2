/** Which session this window showed, kept in `sessionStorage` so that a reload finds it again. */
import * as v from 'valibot';

export interface KeptSession {
  readonly id: string;
  readonly name: string;
}

/** Written by this build; what another version left is not guessed at. */
const VERSION = 1;

const keptSchema = v.object({
  version: v.literal(VERSION),
  session: v.object({ id: v.string(), name: v.string() }),
});

export class SessionMemory {
  readonly #storage: Pick<Storage, 'getItem' | 'setItem'>;
  readonly #key: string;

  /** A window may visit two workspaces of one relay; each has its own key. */
  constructor(storage: Pick<Storage, 'getItem' | 'setItem'>, workspace: string) {
    this.#storage = storage;
    this.#key = `holdfast/${workspace}`;
  }

  read(): KeptSession | null {
    const kept = v.safeParse(keptSchema, parseJson(this.#storage.getItem(this.#key)));
    return kept.success ? kept.output.session : null;
  }

  write({ id, name }: KeptSession): void {
    this.#storage.setItem(this.#key, JSON.stringify({ version: VERSION, session: { id, name } }));
  }
}

/** Null for what is not there and for what is not JSON: extensions and people write here too. */
function parseJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
}

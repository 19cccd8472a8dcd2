/** Finds sessions by id, by handle, by key, and by the session they replaced. */
import { Refusal } from '../../protocol/errors.ts';
import type { Session } from './session.ts';

/** The names that the agent assigns. */
const DEFAULT_NAME = /^Terminal \d+$/;

export class SessionIndex {
  readonly #byId = new Map<string, Session>();
  readonly #byHandle = new Map<number, Session>();
  /** Maps each replaced session to its replacement. */
  readonly #heirs = new Map<string, string>();

  get size(): number {
    return this.#byId.size;
  }

  /** Oldest first. */
  list(): Session[] {
    return [...this.#byId.values()];
  }

  find(id: string): Session {
    const session = this.#byId.get(id);
    if (session === undefined) throw new Refusal('session_missing', 'This session does not exist any more.');
    return session;
  }

  findByHandle(handle: number): Session | undefined {
    return this.#byHandle.get(handle);
  }

  /** Running sessions with this key. */
  runningWithKey(key: string): Session[] {
    return this.list().filter(({ identity, exit }) => identity.key === key && exit === null);
  }

  /** The session that replaced `replaced`, while it exists. */
  heirOf(replaced: string): Session | undefined {
    return this.#byId.get(this.#heirs.get(replaced) ?? '');
  }

  add(session: Session): void {
    this.#byId.set(session.identity.id, session);
    this.#byHandle.set(session.identity.handle, session);
  }

  inherit(replaced: string, session: Session): void {
    this.#heirs.set(replaced, session.identity.id);
  }

  delete({ identity: { handle, id } }: Session): void {
    this.#byId.delete(id);
    this.#byHandle.delete(handle);
    for (const [replaced, heir] of this.#heirs) if (heir === id) this.#heirs.delete(replaced);
  }

  /**
   * Returns the requested name. A default name that a running session already has is replaced by a free one, because
   * default names must tell sessions apart.
   */
  nameFor(wanted: string): string {
    if (wanted === '') return this.freeName();
    const isTaken = this.list().some(({ exit, name }) => exit === null && name === wanted);
    return isTaken && DEFAULT_NAME.test(wanted) ? this.freeName() : wanted;
  }

  /** A default name for a session without one. */
  freeName(): string {
    const taken = new Set(this.list().map((session) => session.name));
    for (let n = 1; ; n++) if (!taken.has(`Terminal ${n}`)) return `Terminal ${n}`;
  }
}

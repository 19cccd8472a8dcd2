/** The sessions there are, and every way to find one: by id, by number on the wire, by key, by what it replaced. */
import { Refusal } from '../../protocol/errors.ts';
import type { Session } from './session.ts';

/** Names that we give. */
const DEFAULT_NAME = /^Terminal \d+$/;

export class SessionIndex {
  readonly #byId = new Map<string, Session>();
  readonly #byHandle = new Map<number, Session>();
  /** Which session took the place of which. */
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

  /** Those with this key whose program runs. */
  runningWithKey(key: string): Session[] {
    return this.list().filter(({ identity, exit }) => identity.key === key && exit === null);
  }

  /** The session that took the place of `replaced`, while it is here. */
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

  /** A name as it was wanted, unless it is one of ours that a running session has: those are there to tell them apart. */
  nameFor(wanted: string): string {
    if (wanted === '') return this.freeName();
    const isTaken = this.list().some(({ exit, name }) => exit === null && name === wanted);
    return isTaken && DEFAULT_NAME.test(wanted) ? this.freeName() : wanted;
  }

  /** A name for a session that was given none. */
  freeName(): string {
    const taken = new Set(this.list().map((session) => session.name));
    for (let n = 1; ; n++) if (!taken.has(`Terminal ${n}`)) return `Terminal ${n}`;
  }
}

/** Who watches the sessions of a workspace, as far as the relay tells this client. */
import type { Person } from '../protocol/messages/people.ts';
import type { ServerMessage } from '../protocol/messages/server-message.ts';

const NOBODY: readonly Person[] = [];

export class People {
  readonly #changed: (session: string) => void;
  readonly #watching = new Map<string, readonly Person[]>();

  constructor(changed: (session: string) => void) {
    this.#changed = changed;
  }

  /** Empty if nobody watches the session, or if that is not known. */
  of(session: string): readonly Person[] {
    return this.#watching.get(session) ?? NOBODY;
  }

  receive(message: ServerMessage): void {
    if (message.type !== 'session_people') return;
    const { session, people } = message;
    if (people.length === 0) this.#watching.delete(session);
    else this.#watching.set(session, people);
    this.#changed(session);
  }

  /** The connection was lost: the next one begins anew. */
  forget(): void {
    const sessions = [...this.#watching.keys()];
    this.#watching.clear();
    for (const session of sessions) this.#changed(session);
  }
}

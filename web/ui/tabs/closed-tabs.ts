/**
 * Tabs that were closed a moment ago and can be brought back. The agent ends their shells when the time is up, so
 * that a page which is closed meanwhile leaks none. [AG8]
 */

import type { WorkspaceClient } from '../../../client/workspace-client.ts';
import type { Cancel, Clock } from '../../../protocol/clock.ts';
import type { Tab } from './tab-list.ts';

/** Long enough to notice the mistake, short enough that a closed build does not go on for long. */
export const UNDO_WITHIN_MS = 10_000;

interface ClosedTab {
  readonly tab: Tab;
  readonly index: number;
}

interface Entry extends ClosedTab {
  readonly forget: Cancel;
  /** Whether the agent has been told, or need not be; it may be away. */
  isTold: boolean;
}

export class ClosedTabs {
  readonly #client: Pick<WorkspaceClient, 'closeLater'>;
  readonly #clock: Clock;
  readonly #changed: () => void;
  #entries: Entry[] = [];
  /** Closed while the agent was away, and past undoing. */
  #untold: string[] = [];
  #isOnline = false;

  constructor(client: Pick<WorkspaceClient, 'closeLater'>, clock: Clock, changed: () => void) {
    this.#client = client;
    this.#clock = clock;
    this.#changed = changed;
  }

  /** The newest that can be brought back. */
  get last(): ClosedTab | null {
    return this.#entries.at(-1) ?? null;
  }

  /** Unless `ends`, the session stays as it is. */
  add(tab: Tab, index: number, { ends = true } = {}): void {
    const forget = this.#clock.after(UNDO_WITHIN_MS, () => this.#forget(entry));
    const entry: Entry = { tab, index, forget, isTold: !ends };
    this.#entries.push(entry);
    this.look(this.#isOnline);
    this.#changed();
  }

  /** Taking it back is attaching it, which the agent takes for a change of mind. */
  takeLast(): ClosedTab | null {
    const entry = this.#entries.pop();
    entry?.forget();
    return entry ?? null;
  }

  /** The agent is there or away; what it has not been told it is told as soon as it is there. */
  look(isOnline: boolean): void {
    this.#isOnline = isOnline;
    if (!isOnline) return;
    for (const entry of this.#entries) {
      if (!entry.isTold) this.#tell(entry.tab.session, UNDO_WITHIN_MS);
      entry.isTold = true;
    }
    for (const session of this.#untold.splice(0)) this.#tell(session, 1);
  }

  stop(): void {
    for (const { forget } of this.#entries) forget();
    this.#entries = [];
  }

  #tell(session: string | null, afterMs: number): void {
    if (session !== null) this.#client.closeLater(session, afterMs);
  }

  #forget(entry: Entry): void {
    this.#entries = this.#entries.filter((other) => other !== entry);
    if (!entry.isTold && entry.tab.session !== null) this.#untold.push(entry.tab.session);
    this.#changed();
  }
}

/**
 * Recently closed tabs, which can be reopened for a few seconds. The agent ends their shells when the time is up, so
 * that a page closed in the meantime leaves no shell behind. [AG8]
 */

import type { WorkspaceClient } from '../../../client/workspace-client.ts';
import type { Cancel, Clock } from '../../../protocol/clock.ts';
import type { Tab } from './tab-list.ts';

/** Long enough to notice a mistake, short enough that a closed build does not run on for long. */
export const UNDO_WITHIN_MS = 10_000;

interface ClosedTab {
  readonly tab: Tab;
  readonly index: number;
}

interface Entry extends ClosedTab {
  readonly forget: Cancel;
  /**
   * True once the agent has been told to end the session, or does not need to be. It stays false while the agent is
   * offline.
   */
  isTold: boolean;
}

export class ClosedTabs {
  readonly #client: Pick<WorkspaceClient, 'closeLater'>;
  readonly #clock: Clock;
  readonly #changed: () => void;
  #entries: Entry[] = [];
  /** Sessions closed while the agent was offline, whose time to undo has passed. */
  #untold: string[] = [];
  #isOnline = false;

  constructor(client: Pick<WorkspaceClient, 'closeLater'>, clock: Clock, changed: () => void) {
    this.#client = client;
    this.#clock = clock;
    this.#changed = changed;
  }

  /** The most recently closed tab that can still be reopened. */
  get last(): ClosedTab | null {
    return this.#entries.at(-1) ?? null;
  }

  /** With `ends: false` the session is left as it is. */
  add(tab: Tab, index: number, { ends = true } = {}): void {
    const forget = this.#clock.after(UNDO_WITHIN_MS, () => this.#forget(entry));
    const entry: Entry = { tab, index, forget, isTold: !ends };
    this.#entries.push(entry);
    this.look(this.#isOnline);
    this.#changed();
  }

  /** Reopening a tab attaches its session again, which cancels the pending close in the agent. */
  takeLast(): ClosedTab | null {
    const entry = this.#entries.pop();
    entry?.forget();
    return entry ?? null;
  }

  /** Takes note of whether the agent is online, and sends it the pending closes once it is. */
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

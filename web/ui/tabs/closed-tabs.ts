/**
 * Recently closed tabs, which can be reopened for a few seconds. The agent ends their shells when the time is up, so
 * that a page closed in the meantime leaves no shell behind. [AG8] After that their names and directories are kept for
 * a while, for new shells in their places.
 */

import type { WorkspaceClient } from '../../../client/workspace-client.ts';
import type { Cancel, Clock } from '../../../protocol/clock.ts';
import type { Split } from './tab.ts';
import type { Tab } from './tab-list.ts';

/** Long enough to notice a mistake, short enough that a closed build does not run on for long. */
export const UNDO_WITHIN_MS = 10_000;

/** Tabs that are remembered after their shells have ended. More than anybody closes by mistake in a row. */
export const ENDED_MAX = 10;

export interface ClosedTab {
  readonly tab: Tab;
  /** Its place among the terminals. */
  readonly index: number;
  /** Where it was beside others; null if it was alone. */
  readonly split: Split | null;
  /** Tabs that were closed together have the same number, and are reopened together. */
  readonly batch: number;
}

/** A closed tab whose shell has ended. */
export interface EndedTab {
  readonly name: string;
  readonly index: number;
  /** Where its shell was; absent if that is not known. */
  readonly cwd?: string;
}

interface Entry extends ClosedTab {
  cwd: string | null;
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
  #ended: EndedTab[] = [];
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

  /** How many tabs were closed together with the last one, and can still be reopened. */
  get lastCount(): number {
    return this.#entries.filter(({ batch }) => batch === this.last?.batch).length;
  }

  /** Whether there is something to reopen, be it as a new shell. */
  get canReopen(): boolean {
    return this.#entries.length > 0 || this.#ended.length > 0;
  }

  /** With `ends: false` the session is left as it is. */
  add(closed: ClosedTab, { ends = true } = {}): void {
    const forget = this.#clock.after(UNDO_WITHIN_MS, () => this.#forget(entry));
    const entry: Entry = { ...closed, cwd: null, forget, isTold: !ends };
    this.#entries.push(entry);
    this.look(this.#isOnline);
    this.#changed();
  }

  /** The directory of a closed tab's session has become known. */
  found(session: string, cwd: string): void {
    for (const entry of this.#entries) if (entry.tab.session === session) entry.cwd = cwd;
  }

  /**
   * The tabs that were closed last, the last one first. Reopening a tab attaches its session again, which cancels the
   * pending close in the agent.
   */
  takeLast(): ClosedTab[] {
    const taken = this.#entries.filter(({ batch }) => batch === this.last?.batch).reverse();
    this.#entries = this.#entries.filter((entry) => !taken.includes(entry));
    for (const { forget } of taken) forget();
    return taken;
  }

  /** The tab whose shell has ended last; null when there is none. */
  takeEnded(): EndedTab | null {
    return this.#ended.pop() ?? null;
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
    const { cwd, index, tab } = entry;
    const ended = { name: tab.name, index, ...(cwd === null ? {} : { cwd }) };
    this.#ended = [...this.#ended, ended].slice(-ENDED_MAX);
    this.#changed();
  }
}

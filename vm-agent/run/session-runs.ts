/**
 * The runs of one session: those that go on, and those that have ended, so that a request that is repeated gets the
 * same answer and types nothing. Bounded; everything that a run needs can be saved for another agent process.
 */
import { RUNS_KEPT } from '../../protocol/limits.ts';
import { Run, type RunPlace } from './run.ts';

/** What is known of a run. */
export interface RunFacts {
  readonly act: string;
  /** A digest of its command. */
  readonly once: string;
  /** Everything that is typed. Empty once that has been done. */
  readonly text: string;
  readonly nonce: string;
  readonly isMarked: boolean;
  /** Where the output was when it was typed. */
  readonly from: number;
  /** Milliseconds of the wall clock: another process has another monotonic clock. */
  readonly typedAt: number;
  /** Null until it has ended. */
  readonly durationMs: number | null;
  /** Where its output is, once it has ended. */
  readonly place: RunPlace | null;
  /** Who took the keyboard before it was typed; null if nobody did. */
  readonly takenBy: string | null;
}

/** Runs that are saved: the ones that go on, and the newest that have ended. */
const SAVED_MAX = 32;

/** Whose first bytes are kept after their end. */
const HEADS_KEPT = 8;

export class KnownRun {
  facts: RunFacts;
  /** The assistant that asked last; not known to another process. */
  assistant = '';
  readonly #run: Run;
  #beganAt: number | null = null;
  /** What it printed first; null if that is no longer kept. */
  head: Uint8Array | null = null;

  constructor(facts: RunFacts) {
    this.facts = facts;
    this.#run = new Run(facts);
  }

  get hasEnded(): boolean {
    return this.facts.place !== null;
  }

  get place(): RunPlace {
    return this.facts.place ?? this.#run.place;
  }

  /** The beginning of its output, as far as it is kept. */
  get begun(): Uint8Array {
    return this.hasEnded ? (this.head ?? new Uint8Array(0)) : this.#run.head;
  }

  runMs(now: number): number {
    return Math.max(0, this.facts.durationMs ?? now - (this.#beganAt ?? this.facts.typedAt));
  }

  /** True if it has begun or ended by this. */
  printed(offset: number, bytes: Uint8Array, now: number): boolean {
    if (this.hasEnded) return false;
    const hadBegun = this.#run.hasBegun;
    this.#run.printed(offset, bytes);
    return this.#look(hadBegun, now);
  }

  exited(exitCode: number | null, end: number, now: number): void {
    if (this.hasEnded) return;
    this.#run.exited(exitCode, end);
    this.#look(true, now);
  }

  #look(hadBegun: boolean, now: number): boolean {
    if (this.#run.hasBegun) this.#beganAt ??= now;
    if (!this.#run.hasEnded) return this.#run.hasBegun !== hadBegun;
    this.head = this.#run.head;
    this.facts = { ...this.facts, text: '', durationMs: this.runMs(now), place: this.#run.place };
    return true;
  }
}

export class SessionRuns {
  /** Oldest first. */
  readonly #runs = new Map<string, KnownRun>();
  readonly #now: () => number;

  /** `saved` is what another process knew. Its session's output is given again from where it is kept. */
  constructor(now: () => number, saved: readonly RunFacts[] = []) {
    this.#now = now;
    for (const facts of saved) this.#runs.set(facts.act, new KnownRun(facts));
  }

  find(act: string): KnownRun | undefined {
    return this.#runs.get(act);
  }

  add(facts: RunFacts): KnownRun {
    const run = new KnownRun(facts);
    this.#runs.set(facts.act, run);
    for (const [act, { hasEnded }] of this.#runs) {
      if (this.#runs.size <= RUNS_KEPT) break;
      if (hasEnded) this.#runs.delete(act);
    }
    return run;
  }

  /** Whether a run goes on. */
  get isBusy(): boolean {
    return this.#unfinished().length > 0;
  }

  /** True if a run has begun or ended by this. */
  printed(offset: number, bytes: Uint8Array): boolean {
    let isNews = false;
    for (const run of this.#unfinished()) if (run.printed(offset, bytes, this.#now())) isNews = true;
    if (isNews) this.#dropHeads();
    return isNews;
  }

  exited(exitCode: number | null, end: number): void {
    for (const run of this.#unfinished()) run.exited(exitCode, end, this.#now());
  }

  /** A shell that runs another command has finished with this one, however that ended. */
  supersede(end: number): void {
    this.exited(null, end);
  }

  save(): RunFacts[] {
    const all = [...this.#runs.values()].map(({ facts }) => facts);
    const open = all.filter(({ place }) => place === null);
    const ended = all.filter(({ place }) => place !== null);
    return [...ended.slice(-SAVED_MAX), ...open.slice(-SAVED_MAX)];
  }

  #unfinished(): KnownRun[] {
    return [...this.#runs.values()].filter(({ hasEnded, facts }) => !hasEnded && facts.takenBy === null);
  }

  #dropHeads(): void {
    const ended = [...this.#runs.values()].filter(({ head }) => head !== null);
    for (const run of ended.slice(0, -HEADS_KEPT)) run.head = null;
  }
}

/**
 * The runs of one session: the one that goes on, and those that have ended, so that a request that is repeated gets the
 * same answer and types nothing. Bounded; everything that a run needs can be saved for another agent process.
 */
import { RUNS_KEPT } from '../../protocol/limits.ts';
import { Run, type RunPlace } from './run.ts';

/** What is known of a run. */
export interface RunFacts {
  readonly act: string;
  /** A digest of its command. */
  readonly once: string;
  readonly nonce: string;
  readonly isMarked: boolean;
  /** Where the output was when it was typed. */
  readonly from: number;
  /** Milliseconds of the wall clock: another process has another monotonic clock. */
  readonly typedAt: number;
  /** The same; null until it has begun. */
  readonly beganAt: number | null;
  /** Null until it has ended. */
  readonly durationMs: number | null;
  /** Where its output is, as far as that is known. */
  readonly place: RunPlace;
  /** Who typed before all of it was typed, so that it was dropped; null if nobody did. */
  readonly takenBy: string | null;
}

/** Runs that are saved: the newest. */
export const RUNS_SAVED = 32;

/** Whose first bytes are kept after their end. */
const HEADS_KEPT = 8;

export class KnownRun {
  facts: RunFacts;
  /** The assistant that asked last; not known to another process. */
  assistant = '';
  /** Whether something was sent since that may have ended it without a mark. */
  isInterrupted = false;
  /** Null once it has ended: it holds memory. */
  #run: Run | null;
  /** What it printed first; null if that is not kept. */
  #head: Uint8Array | null = null;

  constructor(facts: RunFacts) {
    this.facts = facts;
    this.#run = this.hasEnded ? null : new Run(facts);
  }

  /** Whether nothing more is known of it later. */
  get hasEnded(): boolean {
    return this.facts.place.outputTo !== null || this.facts.takenBy !== null;
  }

  get hasBegun(): boolean {
    return this.facts.place.outputFrom !== null;
  }

  /** The beginning of its output, as far as it is kept. */
  get head(): Uint8Array {
    return this.#run?.head ?? this.#head ?? NOTHING;
  }

  runMs(now: number): number {
    const { beganAt, durationMs, typedAt } = this.facts;
    return Math.max(0, durationMs ?? now - (beganAt ?? typedAt));
  }

  /** True if it has begun or ended by this. */
  printed(offset: number, bytes: Uint8Array, now: number): boolean {
    this.#run?.printed(offset, bytes);
    return this.#look(now);
  }

  exited(exitCode: number | null, end: number, now: number): void {
    this.#run?.exited(exitCode, end);
    this.#look(now);
  }

  /** Somebody typed before all of it was typed. */
  dropped(by: string): void {
    if (this.hasEnded) return;
    this.facts = { ...this.facts, takenBy: by };
    this.#run = null;
  }

  dropHead(): void {
    this.#head = null;
  }

  #look(now: number): boolean {
    const place = this.#run?.place ?? this.facts.place;
    if (place === this.facts.place) return false;
    const beganAt = this.facts.beganAt ?? now;
    this.facts = { ...this.facts, place, beganAt };
    if (place.outputTo === null) return true;
    this.facts = { ...this.facts, durationMs: this.runMs(now) };
    this.#head = this.#run?.head ?? null;
    this.#run = null;
    return true;
  }
}

export class SessionRuns {
  /** Oldest first. */
  readonly #runs = new Map<string, KnownRun>();
  /** The one that goes on: a shell runs one command at a time. */
  #open: KnownRun | undefined;
  /** Ended runs whose first bytes are kept, oldest first. */
  readonly #heads: KnownRun[] = [];
  readonly #now: () => number;

  /** `saved` is what another process knew. Its session's output is given again from where it is kept. */
  constructor(now: () => number, saved: readonly RunFacts[] = []) {
    this.#now = now;
    for (const facts of saved.slice(-RUNS_KEPT)) this.#runs.set(facts.act, new KnownRun(facts));
    this.#open = [...this.#runs.values()].findLast(({ hasEnded }) => !hasEnded);
  }

  find(act: string): KnownRun | undefined {
    return this.#runs.get(act);
  }

  /** The run that goes on, if one does. */
  get open(): KnownRun | undefined {
    return this.#open;
  }

  get size(): number {
    return this.#runs.size;
  }

  /** A shell that runs another command has finished with the one before, however that ended. */
  add(facts: RunFacts): KnownRun {
    this.exited(null, facts.from);
    const run = new KnownRun(facts);
    this.#runs.set(facts.act, run);
    this.#open = run;
    for (const act of this.#runs.keys()) {
      if (this.#runs.size <= RUNS_KEPT) break;
      this.#runs.delete(act);
    }
    return run;
  }

  /** It was never typed. */
  forget(act: string): void {
    if (this.#open?.facts.act === act) this.#open = undefined;
    this.#runs.delete(act);
  }

  /** Somebody typed before all of it was typed. */
  dropped(act: string, by: string): void {
    this.#runs.get(act)?.dropped(by);
    if (this.#open?.hasEnded) this.#open = undefined;
  }

  /** Something was sent that may end a command without a mark. */
  interrupted(): void {
    if (this.#open !== undefined) this.#open.isInterrupted = true;
  }

  /** True if a run has begun or ended by this. Called for every read of the terminal. */
  printed(offset: number, bytes: Uint8Array): boolean {
    if (this.#open === undefined || !this.#open.printed(offset, bytes, this.#now())) return false;
    this.#closeEnded();
    return true;
  }

  exited(exitCode: number | null, end: number): void {
    this.#open?.exited(exitCode, end, this.#now());
    this.#closeEnded();
  }

  save(): RunFacts[] {
    return [...this.#runs.values()].slice(-RUNS_SAVED).map(({ facts }) => facts);
  }

  #closeEnded(): void {
    if (this.#open?.hasEnded !== true) return;
    this.#heads.push(this.#open);
    if (this.#heads.length > HEADS_KEPT) this.#heads.shift()?.dropHead();
    this.#open = undefined;
  }
}

const NOTHING = new Uint8Array(0);

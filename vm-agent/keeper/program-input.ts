/** The input of one program: its ledger, what the terminal has not accepted yet, and what the agent is told of it. */
import type { Clock } from '../../protocol/clock.ts';
import type { OwnedPty, WaitingInput } from '../pty/pty.ts';
import { InputLedger, type LedgerEntry } from '../terminal/input-ledger.ts';
import { BACKLOG_MAX_BYTES } from './limits.ts';
import type { ProgramEvents } from './program-options.ts';
import type { SavedProgram, Written } from './saved-state.ts';
import { WireError } from './wire.ts';

/** No agent of this process has sent it. */
const EARLIER_LIFE = -1;

interface KeptInputOptions {
  readonly pty: OwnedPty;
  readonly clock: Clock;
  readonly events: Pick<ProgramEvents, 'taken'>;
  readonly saved?: Pick<SavedProgram, 'ledger' | 'input'> | undefined;
}

export class ProgramInput {
  readonly #pty: OwnedPty;
  readonly #events: KeptInputOptions['events'];
  readonly #ledger: InputLedger;
  /** Writes that the terminal has not accepted whole, in order. */
  readonly #untaken: Written[] = [];
  /** Counts agents. */
  #lives = 0;
  #isAttached: boolean;
  /** Whether the agent has made ready for this program. */
  #isAsked = false;
  /** Tells the agent of input that was taken before that. */
  #unsent: (() => void)[] = [];

  constructor({ pty, clock, events, saved }: KeptInputOptions) {
    this.#pty = pty;
    this.#events = events;
    this.#ledger = new InputLedger(clock, saved?.ledger);
    this.#isAttached = saved === undefined;
    for (const { bytes, of } of saved?.input ?? []) {
      if (of === null) pty.answer(bytes);
      else this.#write(bytes, of, EARLIER_LIFE);
    }
  }

  /** Another agent. */
  attach(): readonly LedgerEntry[] {
    this.#lives++;
    this.#isAttached = true;
    this.#isAsked = false;
    this.#unsent = [];
    return this.#ledger.entries();
  }

  detach(): void {
    this.#isAttached = false;
  }

  asked(): void {
    this.#isAsked = true;
    for (const tell of this.#unsent.splice(0)) tell();
  }

  type(instance: string, offset: number, bytes: Uint8Array): void {
    if (this.#pty.backlogBytes > BACKLOG_MAX_BYTES)
      throw new WireError('more input than a program may have waiting');
    // The agent has checked it against its copy of the ledger, which remembers instances for longer than this one.
    this.#ledger.meet(instance, offset);
    const fresh = this.#ledger.accept(instance, offset, bytes);
    if (typeof fresh === 'string') throw new Error(`invariant: input of an agent leaves the ledger ${fresh}`);
    this.#pty.prefer();
    this.#write(fresh, { instance, count: fresh.length }, this.#lives);
  }

  promise(instance: string, once: string): void {
    this.#ledger.promise(instance, once);
  }

  /** `waiting`: what the terminal has not accepted. */
  save(waiting: readonly WaitingInput[]): Pick<SavedProgram, 'ledger' | 'input'> {
    const untaken = this.#untaken.slice();
    const input = waiting.map(({ bytes, isAnswer }) => ({
      bytes,
      of: isAnswer ? null : (untaken.shift() as Written),
    }));
    return { ledger: this.#ledger.entries(), input };
  }

  /** Writes the rest of a write. */
  #write(bytes: Uint8Array, written: Written, life: number): void {
    const { instance, count } = written;
    const tell = () => this.#events.taken(instance, count, this.#lives !== life);
    this.#untaken.push(written);
    this.#pty.write(bytes, () => {
      this.#untaken.shift();
      this.#ledger.take(instance, count);
      if (!this.#isAttached) return;
      if (this.#isAsked) tell();
      else this.#unsent.push(tell);
    });
  }
}

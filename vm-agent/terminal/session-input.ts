/** Writes what clients type to the program: each byte once, in order, and never more than the input backlog allows. */
import type { Clock } from '../../protocol/clock.ts';
import { Refusal } from '../../protocol/errors.ts';
import {
  INPUT_BACKLOG_MAX_BYTES,
  INPUT_PROMISES_MAX,
  SIGNAL_BACKLOG_MAX_BYTES,
} from '../../protocol/limits.ts';
import type { Pty } from '../pty/pty.ts';
import { signalKeyIn } from '../pty/signal-keys.ts';
import { InputLedger, type LedgerEntry } from './input-ledger.ts';

export class SessionInput {
  readonly #pty: Pty;
  readonly #ledger: InputLedger;

  constructor(pty: Pty, clock: Clock, earlier: readonly LedgerEntry[] = []) {
    this.#pty = pty;
    this.#ledger = new InputLedger(clock, earlier);
  }

  /** How many instances are remembered. */
  get instances(): number {
    return this.#ledger.size;
  }

  /** How much of an instance's input the program has taken; `typed` is the instance's own count. [IN4] */
  taken(instance: string, typed: number): number {
    this.#ledger.meet(instance, typed);
    return this.#ledger.taken(instance) ?? typed;
  }

  /** Refuses an instance that promised other input before. [IN8] */
  promise(instance: string, once: string): void {
    const outcome = this.#ledger.promise(instance, once);
    if (outcome === 'broken') {
      throw new Refusal('input_conflict', 'This idempotency key was used for other input. Choose another.');
    }
    if (outcome === 'full') {
      throw new Refusal(
        'slow_down',
        `This session already has ${INPUT_PROMISES_MAX} idempotency keys of the last hour. Nothing was typed. Try again later, or without a key.`,
      );
    }
    this.#pty.promise(instance, once);
  }

  /** How much of an instance's input was accepted; 0 if it is unknown. */
  accepted(instance: string): number {
    return this.#ledger.accepted(instance);
  }

  /** Returns the new part of an instance's input; refuses input that would leave a hole. [IN2] */
  accept(instance: string, offset: number, bytes: Uint8Array): Uint8Array {
    // People type Ctrl-C when the program does not read, so it may exceed the limit.
    const extra = signalKeyIn(bytes) === undefined ? 0 : SIGNAL_BACKLOG_MAX_BYTES;
    if (this.#pty.backlogBytes + bytes.length > INPUT_BACKLOG_MAX_BYTES + extra) {
      throw new Refusal('input_backlog', 'The program is not reading input. Try again when it does.');
    }
    const fresh = this.#ledger.accept(instance, offset, bytes);
    if (fresh === 'full')
      throw new Refusal(
        'input_backlog',
        'Too many clients have typed here within a minute. Try again later.',
      );
    if (fresh === 'hole')
      throw new Refusal('input_hole', 'Earlier input is missing. Reattach and send it again.');
    return fresh;
  }

  /** Writes accepted input; `taken` gets the offset up to which the program has taken the instance's input. [IN3] */
  write(instance: string, fresh: Uint8Array, taken: (offset: number) => void): void {
    const done = () => {
      const offset = this.#ledger.take(instance, fresh.length);
      if (offset !== null) taken(offset);
    };
    const offset = this.#ledger.accepted(instance) - fresh.length;
    this.#pty.write(fresh, done, { instance, offset });
  }

  /** The program took input that an earlier agent process had accepted. */
  tookEarlier(instance: string, count: number): void {
    this.#ledger.take(instance, count);
  }

  /** Writes the terminal's reply to a query by the program. */
  answer(bytes: Uint8Array): void {
    this.#pty.answer(bytes);
  }
}

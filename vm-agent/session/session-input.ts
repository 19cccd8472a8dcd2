/** What viewers type into a session: each byte once, in order, and no more than its program can be asked to take. */
import type { Clock } from '../../protocol/clock.ts';
import { Refusal } from '../../protocol/errors.ts';
import {
  INPUT_BACKLOG_MAX_BYTES,
  INPUT_PROMISES_MAX,
  SIGNAL_BACKLOG_MAX_BYTES,
} from '../../protocol/limits.ts';
import type { Pty } from '../pty/pty.ts';
import { signalKeyIn } from '../pty/signal-keys.ts';
import { InputLedger } from './input-ledger.ts';

export class SessionInput {
  readonly #pty: Pty;
  readonly #ledger: InputLedger;

  constructor(pty: Pty, clock: Clock) {
    this.#pty = pty;
    this.#ledger = new InputLedger(clock);
  }

  /** How many instances are remembered. */
  get instances(): number {
    return this.#ledger.size;
  }

  /** How much of an instance's input the program has taken; `typed` is what it believes itself. [IN4] */
  taken(instance: string, typed: number): number {
    this.#ledger.meet(instance, typed);
    return this.#ledger.taken(instance) ?? typed;
  }

  /** Refuses an instance that has said before that it would type something else. [IN8] */
  promise(instance: string, once: string): void {
    const outcome = this.#ledger.promise(instance, once);
    if (outcome === 'broken') {
      throw new Refusal('input_conflict', 'Something else was typed under this name before; choose another.');
    }
    if (outcome === 'full') {
      throw new Refusal(
        'slow_down',
        `This session remembers ${INPUT_PROMISES_MAX} idempotency keys of the last hour; nothing was typed. Try later, or without one.`,
      );
    }
  }

  /** What is new of an instance's input; refuses what would leave a hole. [IN2] */
  accept(instance: string, offset: number, bytes: Uint8Array): Uint8Array {
    // Ctrl-C is typed because the program does not read.
    const extra = signalKeyIn(bytes) === undefined ? 0 : SIGNAL_BACKLOG_MAX_BYTES;
    if (this.#pty.backlogBytes + bytes.length > INPUT_BACKLOG_MAX_BYTES + extra) {
      throw new Refusal('input_backlog', 'The program does not read what is typed; try again when it does.');
    }
    const fresh = this.#ledger.accept(instance, offset, bytes);
    if (fresh === 'full')
      throw new Refusal(
        'input_backlog',
        'Too many clients have typed here within a minute; try again later.',
      );
    if (fresh === 'hole')
      throw new Refusal('input_hole', 'Input is missing before this; reattach and send it again.');
    return fresh;
  }

  /** Types what was accepted; `taken` is told how much of the instance's input the program has then. [IN3] */
  write(instance: string, fresh: Uint8Array, taken: (offset: number) => void): void {
    this.#pty.write(fresh, () => {
      const offset = this.#ledger.take(instance, fresh.length);
      if (offset !== null) taken(offset);
    });
  }

  /** What the terminal says to a program that asked. */
  answer(bytes: Uint8Array): void {
    this.#pty.answer(bytes);
  }
}

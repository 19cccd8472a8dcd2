/** What viewers type into a session: each byte once, in order, and no more than its program can be asked to take. */
import { Refusal } from '../protocol/errors.ts';
import { INPUT_BACKLOG_MAX_BYTES } from '../protocol/limits.ts';
import { InputLedger } from './input-ledger.ts';
import type { Pty } from './pty.ts';

export class SessionInput {
  readonly #pty: Pty;
  readonly #ledger = new InputLedger();

  constructor(pty: Pty) {
    this.#pty = pty;
  }

  /** How much of an instance's input the program has taken; `typed` is what it believes itself. [IN4] */
  taken(instance: string, typed: number): number {
    this.#ledger.meet(instance, typed);
    return this.#ledger.taken(instance);
  }

  /** False when this instance has said before that it would type something else. [IN8] */
  promises(instance: string, once: string): boolean {
    return this.#ledger.promise(instance, once);
  }

  /** What is new of an instance's input; refuses what would leave a hole. [IN2] */
  accept(instance: string, offset: number, bytes: Uint8Array): Uint8Array {
    if (this.#pty.backlogBytes + bytes.length > INPUT_BACKLOG_MAX_BYTES) {
      throw new Refusal('input_backlog', 'The program does not read what is typed; try again when it does.');
    }
    const fresh = this.#ledger.accept(instance, offset, bytes);
    if (fresh === null)
      throw new Refusal('input_hole', 'Input is missing before this; reattach and send it again.');
    return fresh;
  }

  /** Types what was accepted; `taken` is told how much of the instance's input the program has then. [IN3] */
  write(instance: string, fresh: Uint8Array, taken: (offset: number) => void): void {
    this.#pty.write(fresh, () => taken(this.#ledger.take(instance, fresh.length)));
  }

  /** What the terminal says to a program that asked. */
  answer(bytes: Uint8Array): void {
    this.#pty.write(bytes, () => {});
  }
}

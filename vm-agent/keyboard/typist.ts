/**
 * Types a text for an assistant, each byte once: its act is an instance in the ledger of input, as a client's is. It
 * gives the program little at a time, so that a person who takes the keyboard need not wait for the rest.
 */
import type { SessionInput } from '../terminal/session-input.ts';

/** So much cannot be taken back: the program is offered it at once. */
export const TYPED_AT_ONCE_BYTES = 1024;

type State = 'typing' | 'stopped' | 'done';

export class Typist {
  readonly #input: Pick<SessionInput, 'accept' | 'write'>;
  readonly #instance: string;
  readonly #bytes: Buffer;
  readonly #done: () => void;
  #at = 0;
  #state: State = 'typing';

  /** `done` is called when the program was given everything. */
  constructor(
    input: Pick<SessionInput, 'accept' | 'write'>,
    instance: string,
    text: string,
    done: () => void,
  ) {
    this.#input = input;
    this.#instance = instance;
    this.#bytes = Buffer.from(text);
    this.#done = done;
  }

  get isDone(): boolean {
    return this.#state === 'done';
  }

  /** Types on where this act stopped, perhaps in another process. Throws a Refusal if the program takes no more. */
  start(): void {
    while (this.#state === 'typing') {
      const piece = this.#bytes.subarray(this.#at, this.#at + TYPED_AT_ONCE_BYTES);
      if (piece.length === 0) {
        this.#state = 'done';
        return this.#done();
      }
      const fresh = this.#input.accept(this.#instance, this.#at, piece);
      this.#at += piece.length;
      // Was accepted before: the keeper types it if it has not yet.
      if (fresh.length === 0) continue;
      return this.#input.write(this.#instance, fresh, () => this.#taken());
    }
  }

  /** Types nothing more. Returns how much of the text the program was given, or will be. */
  stop(): Buffer {
    if (this.#state === 'typing') this.#state = 'stopped';
    return this.#bytes.subarray(0, this.#at);
  }

  /** Types something else at the end of what was typed. */
  add(text: string): void {
    const bytes = Buffer.from(text);
    const fresh = this.#input.accept(this.#instance, this.#at, bytes);
    this.#at += bytes.length;
    this.#input.write(this.#instance, fresh, () => {});
  }

  #taken(): void {
    try {
      this.start();
    } catch {
      // The program has stopped reading. Whoever waits for the rest is answered when its time is over.
      this.#state = 'stopped';
    }
  }
}

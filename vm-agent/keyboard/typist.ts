/**
 * Types a text for an assistant, each byte once: its act is an instance in the ledger of input, as a client's is. It
 * gives the program little at a time, so that a person who takes the keyboard need not wait for the rest.
 *
 *             the program does not read         others type
 *   typing ◄──────────────────────────► paused ────────────► stopped
 *     └──► done
 */
import { Refusal } from '../../protocol/errors.ts';
import type { SessionInput } from '../terminal/session-input.ts';
import { PASTE, PASTE_END } from './paste-mode.ts';

/** So much cannot be taken back: the program is offered it at once. */
export const TYPED_AT_ONCE_BYTES = 1024;

type State = 'typing' | 'paused' | 'stopped' | 'done';

export class Typist {
  readonly #input: Pick<SessionInput, 'accept' | 'write'>;
  readonly #instance: string;
  readonly #bytes: Buffer;
  readonly #changed: () => void;
  #at = 0;
  /** Whether the program has not taken yet what it was offered. */
  #isOffered = false;
  #state: State = 'paused';

  /** `changed` is called when the program was given everything, or takes no more. */
  constructor(
    input: Pick<SessionInput, 'accept' | 'write'>,
    instance: string,
    text: string,
    changed: () => void,
  ) {
    this.#input = input;
    this.#instance = instance;
    this.#bytes = Buffer.from(text);
    this.#changed = changed;
  }

  get isDone(): boolean {
    return this.#state === 'done';
  }

  get isTyping(): boolean {
    return this.#state === 'typing';
  }

  /** Whether nothing of the text is left here, although the program may not have taken all of it yet. */
  get hasOfferedAll(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** Types on where this act stopped, perhaps in another process. Throws a Refusal if the program takes no more. */
  start(): void {
    if (this.#state !== 'paused') return;
    this.#state = 'typing';
    if (!this.#isOffered) this.#offer();
  }

  /** Types nothing more until it is started again. */
  pause(): void {
    if (this.#state === 'typing') this.#state = 'paused';
  }

  /** Types nothing more, except for the end of a paste that has begun. */
  stop(): void {
    if (this.#state === 'done' || this.#state === 'stopped') return;
    this.#state = 'stopped';
    const typed = this.#bytes.subarray(0, this.#at);
    if (typed.lastIndexOf(PASTE) > typed.lastIndexOf(PASTE_END)) this.#endPaste();
  }

  #offer(): void {
    while (this.#state === 'typing') {
      const piece = this.#bytes.subarray(this.#at, this.#at + this.#nextBytes);
      if (piece.length === 0) {
        this.#state = 'done';
        return this.#changed();
      }
      const fresh = this.#accept(piece);
      // Was accepted before: the keeper types it if it has not yet.
      if (fresh.length === 0) continue;
      this.#isOffered = true;
      return this.#input.write(this.#instance, fresh, () => this.#taken());
    }
  }

  /** The end of a paste is not cut: it is typed by itself if the rest is dropped. */
  get #nextBytes(): number {
    const left = this.#bytes.length - this.#at;
    return left <= TYPED_AT_ONCE_BYTES + PASTE_END.length + 1 ? left : TYPED_AT_ONCE_BYTES;
  }

  #accept(piece: Buffer): Uint8Array {
    try {
      const fresh = this.#input.accept(this.#instance, this.#at, piece);
      this.#at += piece.length;
      return fresh;
    } catch (error) {
      this.#state = 'paused';
      throw error;
    }
  }

  #taken(): void {
    this.#isOffered = false;
    if (this.#state === 'paused' && this.hasOfferedAll) this.#state = 'typing';
    try {
      this.#offer();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      // The program has stopped reading; it is paused, and whoever waits is told.
      this.#changed();
    }
  }

  #endPaste(): void {
    const bytes = Buffer.from(PASTE_END);
    try {
      this.#input.write(this.#instance, this.#input.accept(this.#instance, this.#at, bytes), () => {});
    } catch (error) {
      // So much waits for this program that it can take no key either.
      if (!(error instanceof Refusal)) throw error;
    }
  }
}

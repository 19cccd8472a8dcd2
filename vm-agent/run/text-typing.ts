/**
 * The texts that are typed for assistants into one session, one after the other, each once.
 *
 * A text that has begun is typed to its end, also if nobody waits for that any more, and by the next agent process if
 * this one ends: half a line would be left behind otherwise. It is dropped, for good, if somebody else types.
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';
import { Refusal } from '../../protocol/errors.ts';
import { RUNS_KEPT } from '../../protocol/limits.ts';
import { TYPED_AT_ONCE_BYTES, Typist } from '../keyboard/typist.ts';
import type { SessionInput } from '../terminal/session-input.ts';

/** A text that is typed. */
export interface TypedText {
  readonly act: string;
  readonly text: string;
}

/** A text that was not typed to its end, and who typed instead. */
export interface DroppedText {
  readonly act: string;
  readonly by: string;
}

/** What another agent process needs. */
export interface SavedTyping {
  readonly typing: TypedText | null;
  readonly dropped: readonly DroppedText[];
}

interface TextEvents {
  /** Nothing more of this text is typed. It is to be stored before anything else is typed. */
  dropped(text: DroppedText): void;
  /** What has to be saved is another. */
  saves(): void;
  /** A text was typed, dropped, or is not read. */
  changed(): void;
}

/** How long the program has to take a text. */
const TAKEN_WITHIN_MS = 5_000;

/** Dropped texts that another process is told of. */
const DROPPED_SAVED = 32;

export class TextTyping {
  readonly #input: Pick<SessionInput, 'accept' | 'accepted' | 'write'>;
  readonly #clock: Clock;
  readonly #events: TextEvents;
  /** Texts that were dropped, by their act. */
  readonly #dropped = new Map<string, string>();
  /** The last text, until it is typed or dropped. */
  #current: (TypedText & { readonly typist: Typist }) | undefined;
  #late: Cancel = () => {};

  constructor(input: Pick<SessionInput, 'accept' | 'accepted' | 'write'>, clock: Clock, events: TextEvents) {
    this.#input = input;
    this.#clock = clock;
    this.#events = events;
  }

  get isTyping(): boolean {
    return this.#current?.typist.isTyping === true;
  }

  /** Whether this text has begun and is neither typed nor dropped. */
  isOpen(act: string): boolean {
    return this.#current?.act === act;
  }

  /** Who typed before all of this text was typed; null if nobody did. */
  droppedBy(act: string): string | null {
    return this.#dropped.get(act) ?? null;
  }

  /** Begins to type a text, or goes on with it; nothing else is being typed. Throws a Refusal if nothing is taken. */
  start(text: TypedText): void {
    if (!this.isOpen(text.act)) this.drop('Another assistant');
    const instance = instanceOf(text.act);
    const typist =
      this.#current?.typist ?? new Typist(this.#input, instance, text.text, () => this.#moved(text.act));
    this.#current = { ...text, typist };
    this.#late();
    this.#late = this.#clock.after(TAKEN_WITHIN_MS, () => this.#pause());
    this.#events.saves();
    try {
      typist.start();
    } catch (error) {
      if (this.#input.accepted(instance) === 0) this.#forget();
      throw error;
    }
  }

  /** Goes on with a text that the program did not read. */
  resume(act: string): void {
    if (this.#current?.act === act) this.start(this.#current);
  }

  /** Somebody else types, and is not to find half a paste. True if a part of a line is left behind. */
  drop(by: string): boolean {
    const current = this.#current;
    if (current === undefined) return false;
    // What the program was offered cannot be taken back.
    if (current.typist.hasOfferedAll) {
      this.#forget();
      return false;
    }
    this.#late();
    this.#current = undefined;
    this.#noteDropped(current.act, by);
    this.#events.dropped({ act: current.act, by });
    current.typist.stop();
    this.#events.changed();
    return true;
  }

  /** A text of one piece is typed at once or not at all, and need not be saved. */
  save(): SavedTyping {
    const { act, text } = this.#current ?? { act: '', text: '' };
    return {
      typing: Buffer.byteLength(text) > TYPED_AT_ONCE_BYTES ? { act, text } : null,
      dropped: [...this.#dropped].slice(-DROPPED_SAVED).map(([of, by]) => ({ act: of, by })),
    };
  }

  /** Another process was typing: what it has begun is typed to its end, before anybody else can type. */
  restore({ typing, dropped }: SavedTyping): void {
    for (const { act, by } of dropped) this.#noteDropped(act, by);
    if (typing === null || this.#input.accepted(instanceOf(typing.act)) === 0) return;
    try {
      this.start(typing);
    } catch (error) {
      // The program does not read; a repeated request goes on with it.
      if (!(error instanceof Refusal)) throw error;
    }
  }

  #noteDropped(act: string, by: string): void {
    this.#dropped.set(act, by);
    for (const oldest of this.#dropped.keys()) {
      if (this.#dropped.size <= RUNS_KEPT) return;
      this.#dropped.delete(oldest);
    }
  }

  /** A text was typed, or the program takes no more of it. */
  #moved(act: string): void {
    if (this.#current?.act === act && this.#current.typist.isDone) this.#forget();
    this.#events.changed();
  }

  #pause(): void {
    this.#current?.typist.pause();
    this.#events.changed();
  }

  #forget(): void {
    this.#late();
    this.#current = undefined;
    this.#events.saves();
  }
}

/** An act is an instance of the ledger, apart from those of clients. */
export const instanceOf = (act: string) => `act:${act}`;

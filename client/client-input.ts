/**
 * What is typed into one session: kept until the program has it, sent again after a reconnect, and given up when it has
 * waited so long that it would surprise whoever typed it. Rules IN1 to IN7.
 */
import type { Cancel } from '../protocol/clock.ts';
import { encodeFrame } from '../protocol/frame.ts';
import { INPUT_RETRY_MS, OFFLINE_INPUT_MAX_BYTES, OFFLINE_INPUT_MAX_MS } from '../protocol/limits.ts';
import { InputOutbox } from './input-outbox.ts';
import type { SessionLink } from './session-link.ts';

/** A person who has typed and sees nothing wonders after so long. */
const LATE_AFTER_MS = 3_000;

/** What is given up is shown to whoever typed it, and a screen has no room for more. */
const UNDELIVERED_MAX_BYTES = 4096;

const NOTHING = new Uint8Array(0);

interface InputOwner {
  /** The session's number in data frames; undefined while the way to it is cut. */
  handle(): number | undefined;
  changed(): void;
  /** The agent is to say again how much it has taken. */
  askAgain(): void;
}

export class ClientInput {
  readonly #link: Pick<SessionLink, 'agentAnswered' | 'agentLate' | 'clock' | 'sendFrame'>;
  readonly #owner: InputOwner;
  readonly #outbox = new InputOutbox();
  /** Whether the agent has said how much of our input it has taken. */
  #hasMet = false;
  /** Before it was live once there is nothing stale to type at; afterwards, what is typed while cut off ages. */
  #hasBeenLive = false;
  #discarded = 0;
  /** What was given up and nobody has been told of. */
  #undelivered: Uint8Array<ArrayBuffer> = NOTHING;
  /** Input on its way whose acknowledgement tells how far the agent is. */
  #timed: { readonly offset: number; readonly at: number } | undefined;
  /** Set while something sent is not acknowledged. */
  #becomesLate: Cancel | undefined;
  #isLate = false;
  #forgetLater: Cancel | undefined;
  #retry: Cancel | undefined;

  constructor(
    link: Pick<SessionLink, 'agentAnswered' | 'agentLate' | 'clock' | 'sendFrame'>,
    owner: InputOwner,
  ) {
    this.#link = link;
    this.#owner = owner;
  }

  /** Bytes typed that have not reached the program. */
  get pendingBytes(): number {
    return this.#outbox.pendingBytes;
  }

  pending(): Uint8Array<ArrayBuffer> {
    return this.#outbox.pending();
  }

  /** Nothing of what was sent has been taken for a while: the machine is out of reach, or its program does not read. */
  get isLate(): boolean {
    return this.#isLate;
  }

  /** Bytes the program has taken, as far as we know. */
  get taken(): number {
    return this.#outbox.acknowledged;
  }

  get discardedBytes(): number {
    return this.#discarded;
  }

  /** What was typed and given up since this was last called; of much, the end. */
  takeUndelivered(): Uint8Array<ArrayBuffer> {
    const undelivered = this.#undelivered;
    this.#undelivered = NOTHING;
    return undelivered;
  }

  /** False when it is not kept: too much has been typed while nobody could hear it. [IN7] */
  type(bytes: Uint8Array): boolean {
    const isKept = this.#keep(bytes);
    if (isKept) this.#send();
    this.#owner.changed();
    return isKept;
  }

  acknowledged(offset: number): void {
    if (offset > this.taken) this.#stopWatching();
    this.#outbox.acknowledge(offset);
    this.#timeAnswer(offset);
    this.#send();
    this.#owner.changed();
  }

  /** Attached; the agent has taken everything below `offset`, in this life or in another one. */
  met(offset: number, isOtherLife: boolean): void {
    // What was typed for an old life of the agent must not run in a new one. [IN4]
    if (isOtherLife) this.#gaveUp(this.#outbox.pending());
    this.#discarded = isOtherLife ? this.#outbox.discard() : 0;
    this.#stopForgetting();
    // Attached before by this very page (a closed tab brought back), the instance has typed already.
    if (!this.#hasMet) this.#outbox.begin(offset);
    this.#hasMet = true;
    this.#outbox.resume(offset);
    this.#send();
  }

  becameLive(): void {
    this.#hasBeenLive = true;
  }

  /** The program does not read, or the agent has lost count: ask where it is, a moment later, and go on from there. */
  refused(): void {
    this.#retry ??= this.#link.clock.after(INPUT_RETRY_MS, () => {
      this.#retry = undefined;
      if (this.#owner.handle() !== undefined) this.#owner.askAgain();
    });
  }

  /** The way to the agent is cut; what was typed is kept for when it is back. */
  cutOff(): void {
    this.#timed = undefined;
    this.#stopWatching();
    this.#retry?.();
    this.#retry = undefined;
  }

  #keep(bytes: Uint8Array): boolean {
    if (this.#owner.handle() === undefined && this.#hasBeenLive) {
      if (this.#outbox.waitingBytes + bytes.length > OFFLINE_INPUT_MAX_BYTES) {
        this.#discarded += bytes.length;
        this.#gaveUp(bytes);
        return false;
      }
      this.#forgetLater ??= this.#link.clock.after(OFFLINE_INPUT_MAX_MS, () => this.#forgetTyped());
    }
    this.#outbox.type(bytes);
    return true;
  }

  #send(): void {
    const handle = this.#owner.handle();
    if (handle === undefined) return;
    for (const { offset, bytes } of this.#outbox.take()) {
      this.#timed ??= { offset: offset + bytes.length, at: this.#link.clock.now() };
      this.#link.sendFrame(encodeFrame({ kind: 'input', channel: 0, handle, offset }, bytes));
    }
    if (this.#outbox.pendingBytes > 0) this.#watch();
  }

  #watch(): void {
    this.#becomesLate ??= this.#link.clock.after(LATE_AFTER_MS, () => {
      this.#isLate = true;
      this.#link.agentLate();
      this.#owner.changed();
    });
  }

  #stopWatching(): void {
    this.#becomesLate?.();
    this.#becomesLate = undefined;
    this.#isLate = false;
  }

  #timeAnswer(offset: number): void {
    if (this.#timed === undefined || offset < this.#timed.offset) return;
    const tookMs = this.#link.clock.now() - this.#timed.at;
    this.#timed = undefined;
    // Longer, the machine hung or its program did not read: that says nothing of how far away it is.
    if (tookMs < LATE_AFTER_MS) this.#link.agentAnswered(tookMs);
  }

  #forgetTyped(): void {
    this.#forgetLater = undefined;
    const { waitingBytes } = this.#outbox;
    if (waitingBytes > 0) this.#gaveUp(this.#outbox.pending().slice(-waitingBytes));
    this.#discarded += this.#outbox.discardWaiting();
    this.#owner.changed();
  }

  #gaveUp(bytes: Uint8Array): void {
    const all = new Uint8Array(this.#undelivered.length + bytes.length);
    all.set(this.#undelivered);
    all.set(bytes, this.#undelivered.length);
    this.#undelivered = all.slice(-UNDELIVERED_MAX_BYTES);
  }

  #stopForgetting(): void {
    this.#forgetLater?.();
    this.#forgetLater = undefined;
  }
}

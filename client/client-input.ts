/**
 * The input of one session: kept until the program has taken it, sent again after a reconnect, and discarded when it
 * has waited so long that running it would surprise the person who typed it. Rules IN1 to IN7.
 */
import type { Cancel } from '../protocol/clock.ts';
import { encodeFrame } from '../protocol/frame.ts';
import {
  COMPOSED_PASTE_MAX_BYTES,
  INPUT_RETRY_MS,
  OFFLINE_INPUT_MAX_BYTES,
  OFFLINE_INPUT_MAX_MS,
} from '../protocol/limits.ts';
import type { SessionChange } from './client-change.ts';
import { type Delivery, InputDeliveries } from './outbox/input-deliveries.ts';
import { InputOutbox } from './outbox/input-outbox.ts';
import type { SessionLink } from './session-link.ts';

/** After this time without a reaction, a person who has typed starts to wonder. */
const LATE_AFTER_MS = 3_000;

/** Discarded input is shown to the person who typed it, and a screen has no room for more. */
const UNDELIVERED_MAX_BYTES = 4096;

const NOTHING = new Uint8Array(0);

interface InputOwner {
  /** The session's number in data frames; undefined while disconnected. */
  handle(): number | undefined;
  changed(change: SessionChange): void;
  /** Asks the agent again how much it has taken. */
  askAgain(): void;
}

/** Whether sent input waits for its acknowledgement, and for how long already. */
type Wait =
  | { readonly name: 'none' }
  | { readonly name: 'short'; readonly becomesLong: Cancel }
  | { readonly name: 'long' };

export class ClientInput {
  readonly #link: Pick<SessionLink, 'agentAnswered' | 'agentLate' | 'clock' | 'sendFrame'>;
  readonly #owner: InputOwner;
  readonly #outbox = new InputOutbox();
  readonly #deliveries = new InputDeliveries();
  /** Whether the agent has told how much of our input it has taken. */
  #hasMet = false;
  /** Before the session was first live, input cannot be stale; after that, input typed while disconnected ages. */
  #hasBeenLive = false;
  #discarded = 0;
  /** Discarded input that was not reported yet. */
  #undelivered: Uint8Array<ArrayBuffer> = NOTHING;
  /** Input on its way, whose acknowledgement measures the round trip to the agent. */
  #timed: { readonly offset: number; readonly at: number } | undefined;
  #wait: Wait = { name: 'none' };
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

  /** None of the sent input was taken for a while: the machine is unreachable, or its program does not read. */
  get isLate(): boolean {
    return this.#wait.name === 'long';
  }

  /** Bytes the program has taken, as far as known. */
  get taken(): number {
    return this.#outbox.acknowledged;
  }

  get discardedBytes(): number {
    return this.#discarded;
  }

  /** Input discarded since the last call; if there was much, only its end. */
  takeUndelivered(): Uint8Array<ArrayBuffer> {
    const undelivered = this.#undelivered;
    this.#undelivered = NOTHING;
    return undelivered;
  }

  /**
   * False when the input is not kept, because too much was typed while disconnected. [IN7] With `settled`, it is a text
   * that was composed before: it is kept or refused as a whole, and what becomes of it is told.
   */
  type(bytes: Uint8Array, settled?: (delivery: Delivery) => void): boolean {
    const isKept = this.#keep(bytes, settled !== undefined);
    if (isKept && settled !== undefined)
      this.#deliveries.watch(this.#outbox.pendingBytes, bytes.length, settled);
    if (isKept) this.#send();
    this.#owner.changed(isKept ? 'input' : 'session');
    return isKept;
  }

  acknowledged(offset: number): void {
    const wasLate = this.isLate;
    if (offset > this.taken) this.#await({ name: 'none' });
    this.#taken(() => this.#outbox.acknowledge(offset));
    this.#timeAnswer(offset);
    this.#send();
    this.#owner.changed(wasLate ? 'session' : 'input');
  }

  /** Attached. The agent has taken everything below `offset`, in the same epoch or in another one. */
  met(offset: number, isOtherLife: boolean): void {
    // Input typed for an earlier epoch of the agent must not run in a new one. [IN4]
    if (isOtherLife) {
      this.#gaveUp(this.#outbox.pending());
      this.ended();
    }
    this.#discarded = isOtherLife ? this.#outbox.discard() : 0;
    this.#stopForgetting();
    // If this page has attached to the session before (a closed tab was reopened), the instance has already typed
    // something.
    if (!this.#hasMet) this.#outbox.begin(offset);
    this.#hasMet = true;
    this.#taken(() => this.#outbox.resume(offset));
    this.#send();
  }

  /** Nothing of what is pending will be sent again here. */
  ended(): void {
    this.#deliveries.gaveUp({ kept: 0, sent: this.#sentBytes });
  }

  becameLive(): void {
    this.#hasBeenLive = true;
  }

  /**
   * The program does not read, or the agent has a gap: asks for its offset a moment later, and continues from there.
   */
  refused(): void {
    this.#retry ??= this.#link.clock.after(INPUT_RETRY_MS, () => {
      this.#retry = undefined;
      if (this.#owner.handle() !== undefined) this.#owner.askAgain();
    });
  }

  /** The connection to the agent was lost. Input is kept for the reconnect. */
  cutOff(): void {
    this.#timed = undefined;
    this.#await({ name: 'none' });
    this.#retry?.();
    this.#retry = undefined;
  }

  /** The pending bytes that were sent on any link. */
  get #sentBytes(): number {
    return this.#outbox.pendingBytes - this.#outbox.waitingBytes;
  }

  #taken(acknowledge: () => void): void {
    const before = this.#outbox.pendingBytes;
    acknowledge();
    this.#deliveries.took(before - this.#outbox.pendingBytes);
  }

  /** Whoever composed a refused text still has it. */
  #keep(bytes: Uint8Array, isComposed: boolean): boolean {
    const most = isComposed ? COMPOSED_PASTE_MAX_BYTES : OFFLINE_INPUT_MAX_BYTES;
    if (this.#owner.handle() === undefined && this.#hasBeenLive) {
      if (this.#outbox.waitingBytes + bytes.length > most) {
        if (isComposed) return false;
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
    if (this.#wait.name !== 'none') return;
    const becomesLong = this.#link.clock.after(LATE_AFTER_MS, () => {
      this.#await({ name: 'long' });
      this.#link.agentLate();
      this.#owner.changed('session');
    });
    this.#await({ name: 'short', becomesLong });
  }

  #await(next: Wait): void {
    if (this.#wait.name === 'short') this.#wait.becomesLong();
    this.#wait = next;
  }

  #timeAnswer(offset: number): void {
    if (this.#timed === undefined || offset < this.#timed.offset) return;
    const tookMs = this.#link.clock.now() - this.#timed.at;
    this.#timed = undefined;
    // A longer time means that the machine hung or the program did not read; it does not measure the network.
    if (tookMs < LATE_AFTER_MS) this.#link.agentAnswered(tookMs);
  }

  #forgetTyped(): void {
    this.#forgetLater = undefined;
    const { waitingBytes } = this.#outbox;
    if (waitingBytes > 0) this.#gaveUp(this.#outbox.pending().slice(-waitingBytes));
    const sent = this.#sentBytes;
    this.#discarded += this.#outbox.discardWaiting();
    this.#deliveries.gaveUp({ kept: sent, sent });
    this.#owner.changed('session');
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

/** One viewer's place in an audience: what it was sent, what it has acknowledged, and since when it owes an answer. */
import { ACK_QUIET_MS } from '../../protocol/limits.ts';
import type { Attachment } from './attachment.ts';
import type { CreditWindow } from './credit-window.ts';

/** Who has owed an acknowledgement for this long is gone, asleep or stuck, and nobody waits for it. */
export const STALLED_AFTER_MS = 2_000;

/** What a session may have on its way whatever the client's window says: an echo must not queue behind another
 * session's flood. */
export const ALWAYS_ROOM_BYTES = 4096;

/** Times of sending are noted this far apart: fine enough for round trips, coarse enough for a flood. */
const MARK_EVERY_MS = 5;

interface Mark {
  readonly offset: number;
  /** Of the client: everything up to `offset` was sent before it. */
  readonly position: number;
  readonly at: number;
  readonly isAsked: boolean;
}

export class DeliveryState {
  readonly viewer: Attachment;
  readonly window: CreditWindow;
  /** Changed by the audience alone, which draws how. */
  state: 'joining' | 'following' | 'lagging' | 'returning' | 'hidden' = 'joining';
  /** What it was told of since it was hidden: that something was printed, that the bell rang. */
  readonly marked = { output: false, bell: false };
  #sent = 0;
  #acknowledged = 0;
  /** Since when it has owed an acknowledgement without giving any; null when it owes none. */
  #owesSince: number | null = null;
  /** When output up to which offset was sent, and whether it was asked to acknowledge it; oldest first. */
  #marks: Mark[] = [];
  /** Of what is on its way: sent although the client's window was full. */
  #echoes = 0;

  constructor(viewer: Attachment, window: CreditWindow) {
    this.viewer = viewer;
    this.window = window;
  }

  /** Offset up to which it was sent everything. */
  get sent(): number {
    return this.#sent;
  }

  get owesSince(): number | null {
    return this.#owesSince;
  }

  get hasRoom(): boolean {
    return this.window.hasRoom || (this.#owed < ALWAYS_ROOM_BYTES && this.window.fitsEcho(1));
  }

  fits(bytes: number): boolean {
    return this.window.fits(bytes) || this.#isEcho(bytes);
  }

  /** Who has everything will acknowledge nothing more: brought back now, or never. */
  get mayReturn(): boolean {
    return this.window.isRelieved || this.#acknowledged === this.#sent;
  }

  /** An operator that looks and acknowledges sets the pace. [OU5] */
  maySetPace(now: number): boolean {
    if (this.viewer.role !== 'operator') return false;
    return this.#owesSince === null || now - this.#owesSince < STALLED_AFTER_MS;
  }

  /** It was sent everything up to `end`; `isAsked`: and is to say at once that it has it. */
  send(end: number, now: number, isAsked: boolean): void {
    if (end <= this.#sent) return;
    const bytes = end - this.#sent;
    if (!this.window.fits(bytes)) this.#countEcho(bytes);
    this.window.sent(bytes, now);
    this.#sent = end;
    this.#owesSince ??= now;
    const last = this.#marks.at(-1);
    const isClose = last !== undefined && !last.isAsked && now - last.at < MARK_EVERY_MS;
    if (isClose) this.#marks.pop();
    this.#marks.push({ offset: end, position: this.window.position, at: isClose ? last.at : now, isAsked });
  }

  /** Late or repeated acknowledgements change nothing, and nobody can acknowledge what was not sent. */
  acknowledge(offset: number, now: number): boolean {
    if (offset <= this.#acknowledged || offset > this.#sent) return false;
    const bytes = offset - this.#acknowledged;
    this.window.acknowledged(bytes, this.#roundTrip(offset, now), now);
    this.#acknowledged = offset;
    if (this.#echoes > 0) this.#echoTaken(bytes);
    this.#owesSince = offset === this.#sent ? null : now;
    return true;
  }

  /** What it is sent next begins at `from`; what was skipped over is never acknowledged. */
  goOnAt(from: number): void {
    if (this.state === 'joining') this.#acknowledged = from;
    else if (from !== this.#sent) this.abandon(from);
    this.#sent = from;
  }

  /** It will not acknowledge what is on its way: it has left, or looks away. The client's window goes on counting it. */
  abandon(from = this.#sent): void {
    this.window.abandon(this.#owed);
    this.window.abandonEchoes(this.#echoes);
    this.#echoes = 0;
    this.#acknowledged = from;
    this.#owesSince = null;
    this.#marks = [];
  }

  get #owed(): number {
    return this.#sent - this.#acknowledged;
  }

  #isEcho(bytes: number): boolean {
    return this.#owed + bytes <= ALWAYS_ROOM_BYTES && this.window.fitsEcho(bytes);
  }

  #countEcho(bytes: number): void {
    if (!this.#isEcho(bytes)) return;
    this.#echoes += bytes;
    this.window.countEchoes(bytes);
  }

  #echoTaken(acknowledged: number): void {
    const bytes = Math.min(this.#echoes, acknowledged);
    this.#echoes -= bytes;
    this.window.countEchoes(-bytes);
  }

  /** Since what ends at `offset` was sent. Who was not asked has waited for quiet first. */
  #roundTrip(offset: number, now: number): number {
    let passed: Mark | undefined;
    while (this.#marks.length > 1 && (this.#marks[0]?.offset ?? 0) < offset) passed = this.#marks.shift();
    const [mark] = this.#marks;
    if (mark === undefined) return 0;
    if (mark.offset <= offset) passed = this.#marks.shift();
    if (passed !== undefined) this.window.prove(passed.position);
    const waited = mark.isAsked && mark.offset === offset ? 0 : ACK_QUIET_MS;
    return Math.max(0, now - mark.at - waited);
  }
}

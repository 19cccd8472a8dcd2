/**
 * One attachment's delivery state: what it was sent, what it has acknowledged, and since when it owes an
 * acknowledgement.
 */
import { ACK_QUIET_MS } from '../../protocol/limits.ts';
import type { Attachment } from './attachment.ts';
import type { CreditWindow } from './credit-window.ts';

/**
 * A client that has owed an acknowledgement for this long is gone, asleep or stuck; the program stops waiting for it.
 */
export const STALLED_AFTER_MS = 2_000;

/**
 * Bytes that one session may have in flight even if the client's window is full: an echo must not queue behind another
 * session's bulk output.
 */
export const ALWAYS_ROOM_BYTES = 4096;

/** Minimum distance between recorded send times: fine enough for round trips, coarse enough for bulk output. */
const MARK_EVERY_MS = 5;

interface Mark {
  readonly offset: number;
  /** Position in the client's stream: everything up to `offset` was sent before it. */
  readonly position: number;
  readonly at: number;
  readonly isAsked: boolean;
}

export class DeliveryState {
  readonly viewer: Attachment;
  readonly window: CreditWindow;
  /** Only the audience changes it; the diagram is in audience.ts. */
  state: 'joining' | 'following' | 'lagging' | 'returning' | 'hidden' = 'joining';
  /** What it was told while hidden: that something was printed, that the bell rang. */
  readonly marked = { output: false, bell: false };
  #sent = 0;
  #acknowledged = 0;
  /** Since when it owes an acknowledgement without having sent any; null if it owes none. */
  #owesSince: number | null = null;
  /** When each offset was sent, and whether an acknowledgement was requested; oldest first. */
  #marks: Mark[] = [];
  /** Bytes in flight that were sent although the client's window was full. */
  #echoes = 0;

  constructor(viewer: Attachment, window: CreditWindow) {
    this.viewer = viewer;
    this.window = window;
  }

  /** The offset up to which everything was sent. */
  get sent(): number {
    return this.#sent;
  }

  get owesSince(): number | null {
    return this.#owesSince;
  }

  get hasRoom(): boolean {
    return this.window.hasRoom || (this.#owed < ALWAYS_ROOM_BYTES && this.window.echoes.fits(1));
  }

  fits(bytes: number): boolean {
    return this.window.fits(bytes) || this.#isEcho(bytes);
  }

  /** If nothing is in flight, no acknowledgement will come: it must resume now. */
  get mayReturn(): boolean {
    return this.window.isRelieved || this.#acknowledged === this.#sent;
  }

  /** A visible operator that acknowledges sets the pace. [OU5] */
  maySetPace(now: number): boolean {
    if (this.viewer.role !== 'operator') return false;
    return this.#owesSince === null || now - this.#owesSince < STALLED_AFTER_MS;
  }

  /** Everything up to `end` was sent; `isAsked`: the client must acknowledge it at once. */
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

  /** Ignores late and repeated acknowledgements, and offsets that were never sent. */
  acknowledge(offset: number, now: number): boolean {
    if (offset <= this.#acknowledged || offset > this.#sent) return false;
    const bytes = offset - this.#acknowledged;
    this.window.acknowledged(bytes, this.#roundTrip(offset, now), now);
    this.#acknowledged = offset;
    if (this.#echoes > 0) this.#echoTaken(bytes);
    this.#owesSince = offset === this.#sent ? null : now;
    return true;
  }

  /** The next output starts at `from`; bytes that were skipped are never acknowledged. */
  goOnAt(from: number): void {
    if (this.state === 'joining') this.#acknowledged = from;
    else if (from !== this.#sent) this.abandon(from);
    this.#sent = from;
  }

  /**
   * The client has left or is hidden and will not acknowledge what is in flight. Its window still counts those bytes.
   */
  abandon(from = this.#sent): void {
    this.window.abandon(this.#owed);
    this.window.echoes.abandon(this.#echoes);
    this.#echoes = 0;
    this.#acknowledged = from;
    this.#owesSince = null;
    this.#marks = [];
  }

  get #owed(): number {
    return this.#sent - this.#acknowledged;
  }

  #isEcho(bytes: number): boolean {
    return this.#owed + bytes <= ALWAYS_ROOM_BYTES && this.window.echoes.fits(bytes);
  }

  #countEcho(bytes: number): void {
    if (!this.#isEcho(bytes)) return;
    this.#echoes += bytes;
    this.window.echoes.count(bytes);
  }

  #echoTaken(acknowledged: number): void {
    const bytes = Math.min(this.#echoes, acknowledged);
    this.#echoes -= bytes;
    this.window.echoes.count(-bytes);
  }

  /**
   * Time since the bytes before `offset` were sent. A client that was not asked waits for quiet before it acknowledges.
   */
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

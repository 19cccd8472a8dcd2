/**
 * Brings one session's output from frames to its screen: first a replay, either of bytes or of a whole screen, then
 * live output. Every byte is shown once and in order, and acknowledged once shown.
 */
import { ProtocolError } from '../protocol/errors.ts';
import { decodeSize, type Frame } from '../protocol/frame.ts';
import { FOLLOW_QUEUE_MAX_BYTES, QUEUED_ITEM_BYTES, SCREEN_BEHIND_BYTES } from '../protocol/limits.ts';
import type { ServerMessageOf } from '../protocol/messages/server-message.ts';
import { OLD_WIDTHS } from '../protocol/terminal/width/old-widths.ts';
import { AckPacer } from './ack-pacer.ts';
import { IncomingSnapshot } from './incoming-snapshot.ts';
import { OutputCursor } from './output-cursor.ts';
import { type Resume, ResumeRecord } from './resume-record.ts';
import type { Screen } from './screen.ts';
import { ScreenQueue } from './screen-queue.ts';
import type { SessionLink } from './session-link.ts';

/** What the output needs from the session that owns it. */
interface OutputOwner {
  /** Whether acknowledgements can be sent. */
  isAttached(): boolean;
  /** Whether arriving output belongs to the last request, and somebody looks. */
  isListening(): boolean;
  acknowledge(offset: number): void;
  /** Bytes are missing. Nothing is shown until they were requested again. */
  missed(): void;
  /** Everything announced was passed to the screen; `isNews` if this is the first time for this replay. */
  caughtUp(isNews: boolean): void;
  /** Much output waits for the screen: asks the agent to stop sending until the next attach. */
  fellBehind(): void;
  /** The screen has caught up far enough to continue. */
  keptUp(): void;
}

type Announcement = ServerMessageOf<'scrollback'>;

export class ClientOutput {
  readonly #screen: ScreenQueue;
  readonly #link: Pick<SessionLink, 'broken' | 'clock' | 'holds' | 'inflate'>;
  readonly #owner: OutputOwner;
  readonly #cursor: OutputCursor;
  readonly #pacer: AckPacer;
  readonly #resume = new ResumeRecord();
  /** Whether the screen shows everything up to the cursor. */
  #hasBeginning: boolean;
  /** The end of the output printed before attaching. Until it is shown, the client is catching up. */
  #replayEnd: number | undefined;
  /** A snapshot on its way. What follows waits until it is shown, including the history of the same screen. */
  #snapshot: IncomingSnapshot | undefined;
  #waiting: (Frame | Announcement)[] = [];
  #waitingCost = 0;
  /** The number of held bytes last reported to the client. */
  #held = 0;
  #isShowing = false;
  #isBehind = false;
  #lost = 0;

  /** `shown` is the offset the screen already shows; undefined when it shows nothing of the session. */
  constructor(
    screen: Screen,
    link: Pick<SessionLink, 'broken' | 'clock' | 'holds' | 'inflate'>,
    owner: OutputOwner,
    shown: number | undefined,
  ) {
    this.#screen = new ScreenQueue(screen, () => this.#shown());
    this.#link = link;
    this.#owner = owner;
    this.#hasBeginning = shown !== undefined;
    this.#cursor = new OutputCursor(shown);
    this.#pacer = new AckPacer(link.clock, (offset) => owner.acknowledge(offset));
  }

  /** Offset of the first byte not yet received. */
  get next(): number {
    return this.#cursor.next;
  }

  /**
   * The offset to resume from; undefined for a client that has seen nothing and wants the screen instead of all past
   * output.
   */
  get resumesFrom(): number | undefined {
    return this.#hasBeginning ? this.#cursor.next : undefined;
  }

  /** So much waits for the screen that no more should be requested. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  get lostBytes(): number {
    return this.#lost;
  }

  get lastResume(): Resume | null {
    return this.#resume.last;
  }

  /** Output stops arriving. */
  left(at: number): void {
    this.#resume.left(at);
  }

  /** The missing output was just requested. */
  asked(): void {
    this.#resume.asked(this.#link.clock.now());
  }

  /** The next replay must not build on what the screen shows. */
  startAnew(): void {
    this.#hasBeginning = false;
  }

  /** What proves marks in the output that follows. */
  expectMarks(nonce: string | null): void {
    this.#screen.expectMarks(nonce);
  }

  /** The same session in another epoch of the agent: the screen and its offset belong to the old one. */
  programReplaced(): void {
    this.startAnew();
    this.#resume.programReplaced();
  }

  /** Abandons a replay that is still on its way. */
  forgetReplay(): void {
    // If a snapshot was interrupted, the screen does not match the cursor.
    if (this.#snapshot !== undefined) this.#hasBeginning = false;
    this.#snapshot = undefined;
    this.#waiting = [];
    this.#waitingCost = 0;
    this.#hold();
    this.#isBehind &&= !this.#hasRoom;
    this.#replayEnd = undefined;
    this.#pacer.stop();
  }

  replayBegins(message: Announcement): void {
    const { kind, from, to, lost, cols, rows, bytes, history = false, widths = OLD_WIDTHS } = message;
    if (history && this.#snapshot !== undefined) return this.#wait(message, 0);
    if (history) this.settle();
    else {
      const missedBytes = this.#hasBeginning ? Math.max(0, to - this.#cursor.next) : 0;
      this.#resume.announced({ missedBytes, lostBytes: lost, by: kind });
      this.#lost = lost;
    }
    this.#screen.replayBegins(from, to, widths);
    this.#hasBeginning = true;
    this.#replayEnd = to;
    this.#pacer.restart(from);
    if (kind === 'snapshot') {
      this.#snapshot = new IncomingSnapshot(bytes, from, { cols, rows }, history);
      if (bytes === 0) void this.#showSnapshots();
      return;
    }
    if (from !== this.#cursor.next) {
      this.#screen.reset({ kind, offset: from, lost });
      this.#cursor.jump(from);
    }
    // Another client may have set the size, or ours was set before we were subscribed.
    this.#screen.resize({ cols, rows });
    this.#checkCost();
    this.settle();
  }

  receive(frame: Frame): void {
    // Sent before the session was hidden or before the last request. The coming replay will contain it.
    if (!this.#owner.isListening()) return;
    if (frame.kind === 'snapshot' && !this.#snapshot?.isWhole) {
      const isWhole = this.#snapshot?.add(frame.offset, frame.payload);
      this.#hold();
      if (isWhole) void this.#showSnapshots();
    } else if (this.#snapshot !== undefined) {
      this.#wait(frame, frame.payload.length);
    } else if (frame.kind === 'resize') {
      this.#screen.resize(decodeSize(frame.payload));
      this.#checkCost();
    } else if (frame.kind === 'output') {
      this.#show(frame);
    }
  }

  #wait(item: Frame | Announcement, bytes: number): void {
    this.#waitingCost += bytes + QUEUED_ITEM_BYTES;
    this.#waiting.push(item);
    this.#checkCost();
  }

  get #cost(): number {
    return this.#waitingCost + this.#screen.cost;
  }

  /** Half of the limit, so that a constantly slow screen does not alternate between stopping and asking. */
  get #hasRoom(): boolean {
    return this.#cost <= SCREEN_BEHIND_BYTES / 2;
  }

  /**
   * A screen may be stuck for a night. A client with much output to show asks the agent to stop, and resumes later. If
   * the agent does not stop, the connection is closed. [RL23]
   */
  #checkCost(): void {
    this.#hold();
    if (this.#cost > FOLLOW_QUEUE_MAX_BYTES)
      throw new ProtocolError(`over ${FOLLOW_QUEUE_MAX_BYTES} bytes that are not shown yet`);
    // During a snapshot this must wait: an agent that is asked to stop does not send the rest of it.
    if (this.#isBehind || this.#cost <= SCREEN_BEHIND_BYTES || this.#snapshot?.isWhole === false) return;
    this.#isBehind = true;
    this.#owner.fellBehind();
  }

  /** Reports the held bytes to the client, including an incomplete snapshot. */
  #hold(): void {
    const held = this.#cost + (this.#snapshot?.receivedBytes ?? 0);
    if (held === this.#held) return;
    this.#link.holds(held - this.#held);
    this.#held = held;
  }

  #shown(): void {
    this.#hold();
    if (!this.#isBehind || !this.#hasRoom) return;
    this.#isBehind = false;
    this.#owner.keptUp();
  }

  /** Tells the owner once the replay is complete. */
  settle(): void {
    if (this.#snapshot !== undefined || this.#replayEnd === undefined || this.#cursor.next < this.#replayEnd)
      return;
    const { last } = this.#resume;
    this.#resume.caughtUp(this.#link.clock.now());
    this.#owner.caughtUp(this.#resume.last !== last);
  }

  /** Shows snapshots one at a time, and only the newest, because an inflated screen may be large. */
  async #showSnapshots(): Promise<void> {
    if (this.#isShowing) return;
    this.#isShowing = true;
    try {
      for (let next = this.#snapshot; next?.isWhole; next = this.#snapshot) await this.#showSnapshot(next);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.#link.broken(error);
    } finally {
      this.#isShowing = false;
    }
  }

  /** Inflating takes a moment, and a reconnect meanwhile makes the snapshot obsolete. [OU8] */
  async #showSnapshot(snapshot: IncomingSnapshot): Promise<void> {
    if (this.#screen.picture !== undefined) await this.#screen.picture;
    if (this.#snapshot !== snapshot) return;
    const screen = await this.#unpacked(snapshot);
    // A long history takes long to parse. Wait until the screen is painted, so that a person sees it first.
    if (snapshot.isHistory) await this.#screen.painted();
    if (this.#snapshot !== snapshot) return;
    this.#snapshot = undefined;
    this.#cursor.jump(snapshot.from);
    this.#screen.reset({ kind: 'snapshot', offset: snapshot.from, lost: this.#lost });
    this.#screen.resize(snapshot.size);
    const isAll = this.#replayEnd === snapshot.from;
    this.#screen.paint(screen, () => {
      // No output follows that would be acknowledged, and until then the agent counts the snapshot as on its way.
      if (isAll && this.#owner.isAttached()) this.#owner.acknowledge(snapshot.from);
    });
    this.#waitingCost = 0;
    for (const next of this.#waiting.splice(0)) {
      // Showing may have made room and triggered a new request, whose replay will contain the rest.
      if (!this.#owner.isListening()) break;
      if ('type' in next) this.replayBegins(next);
      else this.receive(next);
    }
    // If nothing that waited was new, the screen will not call back.
    this.#shown();
    this.settle();
  }

  /** A snapshot that is malformed or too large ends the connection. */
  async #unpacked({ bytes }: IncomingSnapshot): Promise<Uint8Array<ArrayBuffer>> {
    try {
      return await this.#link.inflate(bytes);
    } catch (error) {
      const why = error instanceof Error ? error.message : 'unknown';
      throw error instanceof ProtocolError ? error : new ProtocolError(`a bad snapshot: ${why}`);
    }
  }

  #show({ offset, payload, wantsAck = false }: Frame): void {
    const judgement = this.#cursor.accept(offset, payload);
    if (judgement.kind === 'hole') return this.#owner.missed();
    if (judgement.kind === 'known') return;
    const end = this.#cursor.next;
    this.#screen.output(judgement.bytes, () => {
      if (this.#owner.isAttached()) this.#pacer.shown(end, wantsAck);
    });
    this.#checkCost();
    this.settle();
  }
}

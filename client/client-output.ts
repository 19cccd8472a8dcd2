/**
 * How one session's output gets from frames onto its screen: a replay first, of bytes or of a whole screen, then what
 * is printed. Every byte is shown once and in order, and what is shown is acknowledged.
 */
import { ProtocolError } from '../protocol/errors.ts';
import { decodeSize, type Frame } from '../protocol/frame.ts';
import { FOLLOW_QUEUE_MAX_BYTES, QUEUED_ITEM_BYTES, SCREEN_BEHIND_BYTES } from '../protocol/limits.ts';
import type { ServerMessageOf } from '../protocol/messages.ts';
import { AckPacer } from './ack-pacer.ts';
import { IncomingSnapshot } from './incoming-snapshot.ts';
import { OutputCursor } from './output-cursor.ts';
import { type Resume, ResumeRecord } from './resume-record.ts';
import type { Screen } from './screen.ts';
import { ScreenQueue } from './screen-queue.ts';
import type { SessionLink } from './session-link.ts';

/** How the session stands with the agent, as far as its output is concerned. */
interface OutputOwner {
  /** There is somebody to acknowledge to. */
  isAttached(): boolean;
  /** What comes now is what was asked for last, and somebody looks. */
  isListening(): boolean;
  acknowledge(offset: number): void;
  /** Bytes are missing: nothing is shown until they have been asked for. */
  missed(): void;
  /** Everything announced has been handed to the screen; `isNews` when that was not so before. */
  caughtUp(isNews: boolean): void;
  /** Much waits for the screen: the agent is to send no more until it is asked again. */
  fellBehind(): void;
  /** Little waits for the screen any more. */
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
  /** Output up to here was printed before we attached; until it is shown we are catching up. */
  #replayEnd: number | undefined;
  /** A snapshot on its way; what follows it waits until it is shown, and so does the history of this very screen. */
  #snapshot: IncomingSnapshot | undefined;
  #waiting: (Frame | Announcement)[] = [];
  #waitingCost = 0;
  /** What the client was told that is held here. */
  #held = 0;
  #isShowing = false;
  #isBehind = false;
  #lost = 0;

  /** `shown` is where the screen is already; undefined when it shows nothing of the session. */
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

  /** From where to ask; undefined for who has seen nothing and wants the screen, not the story of how it came about. */
  get resumesFrom(): number | undefined {
    return this.#hasBeginning ? this.#cursor.next : undefined;
  }

  /** So much waits for the screen that more of it is not to be asked for. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  get lostBytes(): number {
    return this.#lost;
  }

  get lastResume(): Resume | null {
    return this.#resume.last;
  }

  /** No output comes any more. */
  left(at: number): void {
    this.#resume.left(at);
  }

  /** What is missing has just been asked for. */
  asked(): void {
    this.#resume.asked(this.#link.clock.now());
  }

  /** What the screen shows, and its offset, are of no use for what comes. */
  startAnew(): void {
    this.#hasBeginning = false;
  }

  /** The same session in another life of the agent: what is shown, and its offset, are the old one's. */
  programReplaced(): void {
    this.startAnew();
    this.#resume.programReplaced();
  }

  /** What is on its way of a replay is not waited for any more. */
  forgetReplay(): void {
    // Cut off in the middle of a snapshot, the screen shows something else than the cursor says.
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
    const { kind, from, to, lost, cols, rows, bytes, history = false } = message;
    if (history && this.#snapshot !== undefined) return this.#wait(message, 0);
    if (history) this.settle();
    else {
      const missedBytes = this.#hasBeginning ? Math.max(0, to - this.#cursor.next) : 0;
      this.#resume.announced({ missedBytes, lostBytes: lost, by: kind });
      this.#lost = lost;
    }
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
    // Another client may have chosen the size, or ours was set before we were subscribed to hear of it.
    this.#screen.resize({ cols, rows });
    this.#checkCost();
    this.settle();
  }

  receive(frame: Frame): void {
    // On its way when it was hidden, or before what was asked for since: that will contain it.
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

  /** Half, so that a screen which is always slow does not stop and ask all the time. */
  get #hasRoom(): boolean {
    return this.#cost <= SCREEN_BEHIND_BYTES / 2;
  }

  /**
   * A screen may be stuck for a night, so a client that has much to show asks the agent to stop, and goes on later. An
   * agent that does not stop is not listened to. [RL23]
   */
  #checkCost(): void {
    this.#hold();
    if (this.#cost > FOLLOW_QUEUE_MAX_BYTES)
      throw new ProtocolError(`over ${FOLLOW_QUEUE_MAX_BYTES} bytes that are not shown yet`);
    // An agent that is asked to stop does not send the rest of a snapshot.
    if (this.#isBehind || this.#cost <= SCREEN_BEHIND_BYTES || this.#snapshot?.isWhole === false) return;
    this.#isBehind = true;
    this.#owner.fellBehind();
  }

  /** Tells the client what is held here, a snapshot that is not complete included. */
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

  /** Tells the owner once the replay is in. */
  settle(): void {
    if (this.#snapshot !== undefined || this.#replayEnd === undefined || this.#cursor.next < this.#replayEnd)
      return;
    const { last } = this.#resume;
    this.#resume.caughtUp(this.#link.clock.now());
    this.#owner.caughtUp(this.#resume.last !== last);
  }

  /** One after the other, and only the newest: a screen that is unpacked may be large. */
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

  /** Unpacking takes a moment; a reconnect meanwhile makes it obsolete. [OU8] */
  async #showSnapshot(snapshot: IncomingSnapshot): Promise<void> {
    if (this.#screen.picture !== undefined) await this.#screen.picture;
    if (this.#snapshot !== snapshot) return;
    const screen = await this.#unpacked(snapshot);
    // A long history takes long to parse: who waits for the screen would wait for both.
    if (snapshot.isHistory) await this.#screen.painted();
    if (this.#snapshot !== snapshot) return;
    this.#snapshot = undefined;
    this.#cursor.jump(snapshot.from);
    this.#screen.reset({ kind: 'snapshot', offset: snapshot.from, lost: this.#lost });
    this.#screen.resize(snapshot.size);
    const isAll = this.#replayEnd === snapshot.from;
    this.#screen.paint(screen, () => {
      // No output follows that would be acknowledged, and until something is, the agent counts the snapshot as on its way.
      if (isAll && this.#owner.isAttached()) this.#owner.acknowledge(snapshot.from);
    });
    this.#waitingCost = 0;
    for (const next of this.#waiting.splice(0)) {
      // What is shown may have made room to ask again: that will contain the rest.
      if (!this.#owner.isListening()) break;
      if ('type' in next) this.replayBegins(next);
      else this.receive(next);
    }
    // When nothing of what waited was new, the screen has no more to say.
    this.#shown();
    this.settle();
  }

  /** What cannot be unpacked, or is too large, ends the connection. */
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

/**
 * How one session's output gets from frames onto its screen: a replay first, of bytes or of a whole screen, then what
 * is printed. Every byte is shown once and in order, and what is shown is acknowledged.
 */
import { ProtocolError } from '../protocol/errors.ts';
import { decodeSize, type Frame } from '../protocol/frame.ts';
import { FOLLOW_QUEUE_MAX_BYTES } from '../protocol/limits.ts';
import type { ServerMessageOf } from '../protocol/messages.ts';
import { AckPacer } from './ack-pacer.ts';
import { IncomingSnapshot } from './incoming-snapshot.ts';
import { OutputCursor } from './output-cursor.ts';
import { type Resume, ResumeRecord } from './resume-record.ts';
import type { Screen } from './screen.ts';
import type { SessionLink } from './session-link.ts';

/** How the session stands with the agent, as far as its output is concerned. */
export interface OutputOwner {
  /** There is somebody to acknowledge to. */
  isAttached(): boolean;
  /** What comes now is what was asked for last, and somebody looks. */
  isListening(): boolean;
  acknowledge(offset: number): void;
  /** Bytes are missing: nothing is shown until they have been asked for. */
  missed(): void;
  /** Everything announced has been handed to the screen; `isNews` when that was not so before. */
  caughtUp(isNews: boolean): void;
}

type Announcement = ServerMessageOf<'scrollback'>;

export class SessionOutput {
  readonly #screen: Screen;
  readonly #link: Pick<SessionLink, 'broken' | 'clock' | 'inflate'>;
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
  #waitingBytes = 0;
  #lost = 0;

  /** `shown` is where the screen is already; undefined when it shows nothing of the session. */
  constructor(
    screen: Screen,
    link: Pick<SessionLink, 'broken' | 'clock' | 'inflate'>,
    owner: OutputOwner,
    shown: number | undefined,
  ) {
    this.#screen = screen;
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
    this.#waitingBytes = 0;
    this.#replayEnd = undefined;
    this.#pacer.stop();
  }

  replayBegins(message: Announcement): void {
    const { kind, from, to, lost, cols, rows, bytes, history = false } = message;
    if (history && this.#snapshot !== undefined) return void this.#waiting.push(message);
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
      if (bytes === 0) void this.#showSnapshot(this.#snapshot);
      return;
    }
    if (from !== this.#cursor.next) {
      this.#screen.reset({ kind, offset: from, lost });
      this.#cursor.jump(from);
    }
    // Another client may have chosen the size, or ours was set before we were subscribed to hear of it.
    this.#screen.resize({ cols, rows });
    this.settle();
  }

  receive(frame: Frame): void {
    // On its way when it was hidden, or before what was asked for since: that will contain it.
    if (!this.#owner.isListening()) return;
    if (frame.kind === 'snapshot' && !this.#snapshot?.isWhole) {
      if (this.#snapshot?.add(frame.offset, frame.payload)) void this.#showSnapshot(this.#snapshot);
    } else if (this.#snapshot !== undefined) {
      this.#wait(frame);
    } else if (frame.kind === 'resize') {
      this.#screen.resize(decodeSize(frame.payload));
    } else if (frame.kind === 'output') {
      this.#show(frame);
    }
  }

  /** An agent sends no more than a window ahead of acknowledgements; one that does is not listened to. [OU9] */
  #wait(frame: Frame): void {
    this.#waitingBytes += frame.payload.length;
    if (this.#waitingBytes > FOLLOW_QUEUE_MAX_BYTES)
      throw new ProtocolError(`over ${FOLLOW_QUEUE_MAX_BYTES} bytes behind a snapshot`);
    this.#waiting.push(frame);
  }

  /** Tells the owner once the replay is in. */
  settle(): void {
    if (this.#snapshot !== undefined || this.#replayEnd === undefined || this.#cursor.next < this.#replayEnd)
      return;
    const { last } = this.#resume;
    this.#resume.caughtUp(this.#link.clock.now());
    this.#owner.caughtUp(this.#resume.last !== last);
  }

  /** Unpacking takes a moment; a reconnect meanwhile makes it obsolete. [OU8] */
  async #showSnapshot(snapshot: IncomingSnapshot): Promise<void> {
    const screen = await this.#unpacked(snapshot);
    if (screen === undefined) return;
    // A long history takes long to parse: who waits for the screen would wait for both.
    if (snapshot.isHistory) await this.#screen.painted?.();
    if (this.#snapshot !== snapshot) return;
    this.#screen.reset({ kind: 'snapshot', offset: snapshot.from, lost: this.#lost });
    this.#screen.resize(snapshot.size);
    const isAll = this.#replayEnd === snapshot.from;
    this.#screen.write(screen, () => {
      // No output follows that would be acknowledged, and until something is, the agent counts the snapshot as on its way.
      if (isAll && this.#owner.isAttached()) this.#owner.acknowledge(snapshot.from);
    });
    this.#cursor.jump(snapshot.from);
    this.#snapshot = undefined;
    this.#waitingBytes = 0;
    for (const next of this.#waiting.splice(0)) {
      if ('type' in next) this.replayBegins(next);
      else this.receive(next);
    }
    this.settle();
  }

  /** Undefined for what cannot be unpacked or is too large: the connection ends. */
  async #unpacked({ bytes }: IncomingSnapshot): Promise<Uint8Array<ArrayBuffer> | undefined> {
    try {
      return await this.#link.inflate(bytes);
    } catch (error) {
      const why = error instanceof Error ? error.message : 'unknown';
      this.#link.broken(error instanceof ProtocolError ? error : new ProtocolError(`a bad snapshot: ${why}`));
      return undefined;
    }
  }

  #show({ offset, payload, wantsAck = false }: Frame): void {
    const judgement = this.#cursor.accept(offset, payload);
    if (judgement.kind === 'hole') return this.#owner.missed();
    if (judgement.kind === 'known') return;
    const end = this.#cursor.next;
    this.#screen.write(judgement.bytes, () => {
      if (this.#owner.isAttached()) this.#pacer.shown(end, wantsAck);
    });
    this.settle();
  }
}

/**
 * One session's terminal inside a thread: its queue of unparsed output, and its work in slices. host.ts decides whose
 * slice is next.
 */
import type { Size } from '../../protocol/frame.ts';
import { ANSWER_BACKLOG_MAX_BYTES } from '../../protocol/limits.ts';
import type { Theme } from '../../protocol/messages/message-parts.ts';
import type { SessionProgress } from '../../protocol/messages/session-info.ts';
import type { ImageRoom } from '../../protocol/terminal/images/image-store.ts';
import { inflatePiece, piecesOf } from './deflate.ts';
import { Emulator } from './emulator.ts';
import { NOTICES_PER_SLICE_MAX, STEP_MAX_BYTES, STEP_MAX_SEQUENCES, STEP_MIN_BYTES } from './limits.ts';
import { ParsedSince } from './parsed-since.ts';
import type { Notice } from './sequences/notices.ts';
import type { Scope } from './serializer/ansi.ts';
import type { Format } from './serializer/terminal-text.ts';
import { SNAPSHOT_LIMITS, type SnapshotLimits, writeFitting, writeWhole } from './snapshot-writer.ts';
import type {
  FromThread,
  OpenMessage,
  ParsedMessage,
  Progress,
  ScreenEvent,
  SnapshotMessage,
} from './thread-messages.ts';

type Item =
  /** The initial state; it causes no replies and has no offset. */
  | { readonly kind: 'restore'; readonly bytes: Uint8Array }
  /** The same, inflated when it is parsed, so that each of many waking screens has only one piece in memory. */
  | { readonly kind: 'deflated'; readonly piece: Uint8Array }
  | { readonly kind: 'output'; readonly bytes: Uint8Array }
  | { readonly kind: 'resize'; readonly size: Size }
  | { readonly kind: 'theme'; readonly theme: Theme };

interface HostedOptions {
  readonly limits?: SnapshotLimits;
  /** Shared with the other terminals of the thread. */
  readonly imageRoom?: ImageRoom;
}

interface Job {
  readonly steps: Generator<void, FromThread>;
  readonly atLeast: number;
  readonly copiesHistory: boolean;
}

export class HostedScreen {
  readonly #id: number;
  readonly #emulator: Emulator;
  readonly #limits: SnapshotLimits;
  readonly #items: Item[] = [];
  readonly #jobs: Job[] = [];
  #events: ScreenEvent[] = [];
  /** Total length of the replies in `#events`. */
  #answerChars = 0;
  #taken = 0; // bytes of the first item that are already parsed
  #received: number;
  /** Offset after the step that is being parsed. */
  #stepEnd = 0;
  #resizes = 0;
  #stepBytes = STEP_MAX_BYTES;
  /** True while a snapshot copies the terminal and after it starts falling asleep; nothing is parsed meanwhile. */
  #mustRest = false;
  /** Output parsed while a snapshot is written; it will complete the snapshot. */
  #since: ParsedSince | undefined;

  constructor(
    { screen, size, scrollbackLines, theme, widths, marksNonce, offset, from, cwd }: OpenMessage,
    { limits = SNAPSHOT_LIMITS, imageRoom }: HostedOptions = {},
  ) {
    this.#id = screen;
    this.#limits = limits;
    this.#received = offset;
    const events = {
      answer: (text: string) => this.#answered('answer', text),
      report: (text: string) => this.#answered('report', text),
      title: (text: string) => this.#replaceEvent({ kind: 'title', at: this.#received, text }),
      cwd: (text: string) => this.#replaceEvent({ kind: 'cwd', at: this.#received, text }),
      progress: (progress: SessionProgress | null) =>
        this.#replaceEvent({ kind: 'progress', at: this.#received, progress }),
      bell: () => this.#replaceEvent({ kind: 'bell', at: this.#received, to: this.#stepEnd }),
      notice: (notice: Notice) => this.#noticed(notice),
    };
    this.#emulator = new Emulator({ size, scrollbackLines, theme, widths, marksNonce, imageRoom, events });
    this.#emulator.setCwd(cwd);
    if (from === undefined) return;
    if ('output' in from) this.#items.push({ kind: 'restore', bytes: from.output });
    else this.#items.push(...piecesOf(from).map((piece): Item => ({ kind: 'deflated', piece })));
  }

  get emulator(): Emulator {
    return this.#emulator;
  }

  /** Whether there is output to parse, and nothing that must finish first. */
  get canParse(): boolean {
    return this.#items.length > 0 && !this.#mustRest && this.#since?.isFull !== true;
  }

  /** Whether the first requested snapshot can be made, or is being made. */
  get canSnapshot(): boolean {
    const [job] = this.#jobs;
    return job !== undefined && !this.#isRestoring && this.#received >= job.atLeast;
  }

  get #isRestoring(): boolean {
    const kind = this.#items[0]?.kind;
    return kind === 'restore' || kind === 'deflated';
  }

  /** Whether that snapshot holds a copy of the whole history while it is being made. */
  get copiesHistory(): boolean {
    return this.#jobs[0]?.copiesHistory === true;
  }

  receive(item: Item): void {
    // Only the last of several themes counts, so they cannot fill the memory while nothing is parsed.
    if (item.kind === 'theme' && this.#items.at(-1)?.kind === 'theme') this.#items.pop();
    this.#items.push(item);
  }

  ask({ request, format, scope, atLeast, alone = false }: SnapshotMessage): void {
    const steps = this.#snapshot(request, format, scope, alone);
    this.#jobs.push({ steps, atLeast, copiesHistory: scope === 'all' });
  }

  /** `maxImageChars`: of the images that it keeps. */
  sleep(maxImageChars: number): void {
    this.#jobs.push({ steps: this.#putDown(maxImageChars), atLeast: 0, copiesHistory: false });
  }

  /** Parses until nothing is left or `isOver`. Returns the progress and the events. */
  parse(isOver: () => boolean): Omit<ParsedMessage, 'tookMs'> {
    let steps = 0;
    do {
      this.#parseStep();
      steps++;
    } while (this.canParse && !isOver());
    this.#adapt(steps);
    const events = this.#events;
    this.#events = [];
    this.#answerChars = 0;
    const { active, alt } = this.#emulator.xterm.core.buffers;
    const isAlternate = active === alt;
    return { type: 'parsed', screen: this.#id, events, isAlternate, ...this.#progress };
  }

  /** Works on the first snapshot until it is done or `isOver`; returns the reply once it is done. */
  snapshotSlice(isOver: () => boolean): FromThread | undefined {
    const [job] = this.#jobs;
    if (job === undefined) throw new Error('invariant: a slice without a snapshot');
    do {
      const step = job.steps.next();
      if (step.done !== true) continue;
      this.#jobs.shift();
      return step.value;
    } while (!isOver());
    return undefined;
  }

  dispose(): void {
    this.#emulator.dispose();
  }

  /** Replies per slice are limited like the backlog of a program that does not read, so queries cannot fill memory. */
  #answered(kind: 'answer' | 'report', text: string): void {
    this.#answerChars += text.length;
    if (this.#answerChars > ANSWER_BACKLOG_MAX_BYTES) return;
    this.#events.push({ kind, at: this.#received, text });
  }

  /** Only the last title, directory, progress and bell of a slice is reported. */
  #replaceEvent(event: ScreenEvent): void {
    const before = this.#events.findIndex(({ kind }) => kind === event.kind);
    if (before === -1) this.#events.push(event);
    else this.#events[before] = event;
  }

  /** Beyond a few notices of a slice, only the last one is reported. */
  #noticed(notice: Notice): void {
    const isNotice = ({ kind }: ScreenEvent): boolean => kind === 'notice';
    if (this.#events.filter(isNotice).length === NOTICES_PER_SLICE_MAX)
      this.#events.splice(this.#events.findLastIndex(isNotice), 1);
    this.#events.push({ kind: 'notice', at: this.#received, to: this.#stepEnd, ...notice });
  }

  /** If one step takes a whole slice, steps become smaller until a slice has several. */
  #adapt(steps: number): void {
    const { stepBytes } = this.#emulator;
    if (this.#items.length === 0 || steps > 4) this.#stepBytes = Math.min(stepBytes, this.#stepBytes * 2);
    else if (steps === 1) this.#stepBytes = Math.max(STEP_MIN_BYTES, this.#stepBytes / 2);
  }

  #parseStep(): void {
    const [item] = this.#items;
    if (item === undefined) return;
    if (item.kind === 'resize') {
      this.#emulator.resize(item.size);
      this.#since?.resized(this.#offset, item.size);
      this.#resizes++;
      this.#items.shift();
      return;
    }
    if (item.kind === 'theme') {
      this.#emulator.setTheme(item.theme);
      this.#items.shift();
      return;
    }
    if (item.kind === 'deflated') {
      this.#items[0] = { kind: 'restore', bytes: inflatePiece(item.piece) };
      return;
    }
    const maxBytes = Math.min(this.#stepBytes, this.#emulator.stepBytes);
    const step = item.bytes.subarray(this.#taken, endOfStep(item.bytes, this.#taken, maxBytes));
    if (item.kind === 'restore') {
      this.#emulator.restore(step);
    } else {
      const before = this.#offset;
      this.#stepEnd = this.#received + step.length;
      const parsed = this.#emulator.write(step);
      this.#since?.parsed(before, parsed);
      this.#received += step.length;
    }
    this.#taken += step.length;
    if (this.#taken < item.bytes.length) return;
    this.#items.shift();
    this.#taken = 0;
  }

  /** An incomplete character is not part of the state; the main thread keeps its bytes. */
  get #offset(): number {
    return this.#received - this.#emulator.heldBytes;
  }

  get #progress(): Progress {
    return { offset: this.#offset, resizes: this.#resizes, held: this.#emulator.heldBytes };
  }

  *#snapshot(request: number, format: Format, scope: Scope, alone: boolean): Generator<void, FromThread> {
    this.#mustRest = true;
    const text = yield* this.#emulator.copy(scope);
    this.#mustRest = false;
    const taken = { ...this.#about(), takenAt: this.#offset, cursor: text.cursor };
    if (format === 'ansi' && !alone) this.#since = new ParsedSince();
    const written = yield* writeFitting(text, format, scope, this.#limits);
    const since = this.#since?.pieces ?? null;
    this.#since = undefined;
    return { type: 'snapshot', screen: this.#id, request, ...taken, since, ...this.#progress, written };
  }

  *#putDown(maxImageChars: number): Generator<void, FromThread> {
    // No copy is needed: nothing is parsed until the screen is asleep.
    this.#mustRest = true;
    // Both have all images at most.
    const text = this.#emulator.text.withImages(maxImageChars / 2);
    const all = yield* writeWhole(text, 'all', this.#limits);
    const recent = yield* writeWhole(text, 'recent', this.#limits);
    if (all === null || recent === null) return this.#stay();
    const { toldScheme } = this.#emulator.modes;
    const imageChars = 2 * text.imageChars;
    const state = { offset: this.#offset, ...this.#about(), toldScheme, all, recent, imageChars };
    return { type: 'slept', screen: this.#id, state, ...this.#progress };
  }

  #stay(): FromThread {
    this.#mustRest = false;
    return { type: 'stayed', screen: this.#id, ...this.#progress };
  }

  #about(): { size: Size; title: string; cwd: string | null } {
    const { size, title, cwd } = this.#emulator;
    return { size, title, cwd };
  }
}

const ESC = 0x1b;
/** C1 controls are encoded as this byte and one of 0x80 to 0x9f. */
const C1_LEAD = 0xc2;
const C1_LAST = 0x9f;

/** Where the step that begins at `from` ends: after `maxBytes`, or before one sequence too many. */
export function endOfStep(bytes: Uint8Array, from: number, maxBytes: number): number {
  const end = Math.min(bytes.length, from + maxBytes);
  let sequences = 0;
  for (let at = from; at < end; at++) {
    const byte = bytes[at];
    if (byte !== ESC && !(byte === C1_LEAD && (bytes[at + 1] ?? 0) <= C1_LAST)) continue;
    if (++sequences > STEP_MAX_SEQUENCES) return at;
  }
  return end;
}

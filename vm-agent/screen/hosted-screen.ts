/**
 * One session's terminal inside a thread: its queue of unparsed output, and its work in slices. host.ts decides whose
 * slice is next.
 */
import type { Size } from '../../protocol/frame.ts';
import {
  ANSWER_BACKLOG_MAX_BYTES,
  SNAPSHOT_INFLATED_MAX_BYTES,
  SNAPSHOT_MAX_BYTES,
} from '../../protocol/limits.ts';
import { inflatePiece, PiecewiseDeflate, piecesOf } from './deflate.ts';
import { Emulator } from './emulator.ts';
import { SLEEPING_MAX_BYTES, STEP_MAX_BYTES, STEP_MIN_BYTES } from './limits.ts';
import { ParsedSince } from './parsed-since.ts';
import type { Links, Scope, SnapshotExtent } from './serializer/ansi.ts';
import type { Format, TerminalText } from './serializer/terminal-text.ts';
import type {
  Deflated,
  FromThread,
  OpenMessage,
  Progress,
  ScreenEvent,
  SnapshotMessage,
} from './thread-messages.ts';

const NOTHING = new Uint8Array(0);

type Item =
  /** The initial state; it causes no replies and has no offset. */
  | { readonly kind: 'restore'; readonly bytes: Uint8Array }
  /** The same, inflated when it is parsed, so that each of many waking screens has only one piece in memory. */
  | { readonly kind: 'deflated'; readonly piece: Uint8Array }
  | { readonly kind: 'output'; readonly bytes: Uint8Array }
  | { readonly kind: 'resize'; readonly size: Size };

/** Size limits of a snapshot, inflated and deflated, and of the state of a sleeping screen. */
export interface SnapshotLimits {
  readonly bytes: number;
  readonly deflatedBytes: number;
  readonly sleepingBytes: number;
}

const LIMITS: SnapshotLimits = {
  bytes: SNAPSHOT_INFLATED_MAX_BYTES,
  deflatedBytes: SNAPSHOT_MAX_BYTES,
  sleepingBytes: SLEEPING_MAX_BYTES,
};

/** How a terminal is written. */
interface Kind {
  readonly format: Format;
  readonly links: Links;
}

const WHOLE: Kind = { format: 'ansi', links: 'with links' };

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
  #resizes = 0;
  #stepBytes = STEP_MAX_BYTES;
  /** True while a snapshot copies the terminal and after it starts falling asleep; nothing is parsed meanwhile. */
  #mustRest = false;
  /** Output parsed while a snapshot is written; it will complete the snapshot. */
  #since: ParsedSince | undefined;

  constructor(
    { screen, size, scrollbackLines, theme, offset, from, cwd }: OpenMessage,
    limits: SnapshotLimits = LIMITS,
  ) {
    this.#id = screen;
    this.#limits = limits;
    this.#received = offset;
    const events = {
      answer: (text: string) => this.#answered(text),
      title: (text: string) => this.#replaceEvent({ kind: 'title', at: this.#received, text }),
      cwd: (text: string) => this.#replaceEvent({ kind: 'cwd', at: this.#received, text }),
      bell: () => this.#replaceEvent({ kind: 'bell', at: this.#received }),
    };
    this.#emulator = new Emulator({ size, scrollbackLines, theme, events });
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
    this.#items.push(item);
  }

  ask({ request, format, scope, atLeast }: SnapshotMessage): void {
    const steps = this.#snapshot(request, format, scope);
    this.#jobs.push({ steps, atLeast, copiesHistory: scope === 'all' });
  }

  sleep(): void {
    this.#jobs.push({ steps: this.#putDown(), atLeast: 0, copiesHistory: false });
  }

  /** Parses until nothing is left or `isOver`. Returns the progress and the events. */
  parse(isOver: () => boolean): FromThread {
    let steps = 0;
    do {
      this.#parseStep();
      steps++;
    } while (this.canParse && !isOver());
    this.#adapt(steps);
    const events = this.#events;
    this.#events = [];
    this.#answerChars = 0;
    return { type: 'parsed', screen: this.#id, events, ...this.#progress };
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
  #answered(text: string): void {
    this.#answerChars += text.length;
    if (this.#answerChars > ANSWER_BACKLOG_MAX_BYTES) return;
    this.#events.push({ kind: 'answer', at: this.#received, text });
  }

  /** Only the last title, directory and bell of a slice is reported. */
  #replaceEvent(event: ScreenEvent): void {
    const before = this.#events.findIndex(({ kind }) => kind === event.kind);
    if (before === -1) this.#events.push(event);
    else this.#events[before] = event;
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
    if (item.kind === 'deflated') {
      this.#items[0] = { kind: 'restore', bytes: inflatePiece(item.piece) };
      return;
    }
    const step = item.bytes.subarray(
      this.#taken,
      this.#taken + Math.min(this.#stepBytes, this.#emulator.stepBytes),
    );
    if (item.kind === 'restore') {
      this.#emulator.restore(step);
    } else {
      const before = this.#offset;
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

  *#snapshot(request: number, format: Format, scope: Scope): Generator<void, FromThread> {
    this.#mustRest = true;
    const text = yield* this.#emulator.copy(scope);
    this.#mustRest = false;
    const taken = { ...this.#about(), takenAt: this.#offset };
    if (format === 'ansi') this.#since = new ParsedSince();
    const written = yield* this.#writeFitting(text, format, scope);
    const since = this.#since?.pieces ?? null;
    this.#since = undefined;
    return { type: 'snapshot', screen: this.#id, request, ...taken, since, ...this.#progress, written };
  }

  /**
   * Includes as much history as fits. If not even the screen fits, links are left out; null if it still does not fit.
   */
  *#writeFitting(text: TerminalText, format: Format, scope: Scope): Generator<void, Deflated | null> {
    const written = yield* this.#writeCut(text, scope, { format, links: 'with links' });
    if (written !== null || format !== 'ansi') return written;
    return yield* this.#writeCut(text, scope, { format, links: 'without links' });
  }

  /** Null if not even the screen fits. */
  *#writeCut(text: TerminalText, scope: Scope, kind: Kind): Generator<void, Deflated | null> {
    let most = 0.9;
    for (let extent: SnapshotExtent = scope; ; ) {
      const written: Deflated | number = yield* writeText(text, extent, kind, this.#limits.bytes);
      if (typeof written !== 'number' && written.deflated.length <= this.#limits.deflatedBytes)
        return written;
      const { history, rows } = text.linesIn(extent);
      if (history === 0) return null;
      // Estimated from the rows that fitted, minus a margin because rows differ.
      const fitting = typeof written === 'number' ? written * 0.95 : rows / 2;
      extent = Math.max(0, Math.min(Math.floor(fitting - (rows - history)), Math.floor(history * most)));
      // After a bad guess the next one cuts more, so a history whose largest rows come last is dropped in a few
      // attempts.
      most *= most;
    }
  }

  *#putDown(): Generator<void, FromThread> {
    // No copy is needed: nothing is parsed until the screen is asleep.
    this.#mustRest = true;
    const { text } = this.#emulator;
    const all = yield* writeText(text, 'all', WHOLE, this.#limits.sleepingBytes);
    const recent = yield* writeText(text, 'recent', WHOLE, this.#limits.sleepingBytes);
    if (typeof all === 'number' || typeof recent === 'number') return this.#stay();
    const state = { offset: this.#offset, ...this.#about(), all, recent };
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

/** Returns the number of rows that fit if the text is longer than `maxBytes`. */
function* writeText(
  text: TerminalText,
  extent: SnapshotExtent,
  { format, links }: Kind,
  maxBytes: number,
): Generator<void, Deflated | number> {
  const deflate = new PiecewiseDeflate();
  let rows = 0;
  for (const piece of text.pieces(format, extent, links)) {
    deflate.add(piece);
    if (deflate.bytes > maxBytes) return rows;
    rows++;
    yield;
  }
  const whole = deflate.finish(format === 'ansi' ? text.pendingBytes : NOTHING);
  if (whole.bytes > maxBytes) return rows;
  return { ...whole, linesAbove: text.linesAbove(extent) };
}

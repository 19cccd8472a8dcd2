/**
 * One session's terminal inside a thread: its queue of unparsed output, and the work to be done for it in
 * slices. host.ts decides whose slice is next.
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
  /** Makes the state it begins with; nothing in it is answered, and it has no offset. */
  | { readonly kind: 'restore'; readonly bytes: Uint8Array }
  /** The same, inflated when its turn comes: of all that wake at once, each has one piece in memory. */
  | { readonly kind: 'deflated'; readonly piece: Uint8Array }
  | { readonly kind: 'output'; readonly bytes: Uint8Array }
  | { readonly kind: 'resize'; readonly size: Size };

/** How large a snapshot may be, inflated and deflated, and the state of a screen that sleeps. */
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
  /** Of the answers among them. */
  #answerChars = 0;
  #taken = 0; // bytes of the first item that are parsed already
  #received: number;
  #resizes = 0;
  #stepBytes = STEP_MAX_BYTES;
  /** While a snapshot copies the terminal, and from when it is put down; meanwhile nothing is parsed. */
  #mustRest = false;
  /** While a snapshot is written that will be completed with this. */
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

  /** Whether there is output to parse, and nothing that must be finished first. */
  get canParse(): boolean {
    return this.#items.length > 0 && !this.#mustRest && this.#since?.isFull !== true;
  }

  /** Whether the first snapshot asked for can be made, or is being made. */
  get canSnapshot(): boolean {
    const [job] = this.#jobs;
    return job !== undefined && !this.#isRestoring && this.#received >= job.atLeast;
  }

  get #isRestoring(): boolean {
    const kind = this.#items[0]?.kind;
    return kind === 'restore' || kind === 'deflated';
  }

  /** Whether that snapshot has, while it is being made, a copy of the whole history. */
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

  /** Parses until there is nothing left or `isOver`. Says how far it came and what happened. */
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

  /** Works on the first snapshot until it is done or `isOver`; the reply when it is done. */
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

  /** No more in one slice than a program that does not read is kept answers for: a flood of questions costs no memory. */
  #answered(text: string): void {
    this.#answerChars += text.length;
    if (this.#answerChars > ANSWER_BACKLOG_MAX_BYTES) return;
    this.#events.push({ kind: 'answer', at: this.#received, text });
  }

  /** Of titles, directories and bells only the last in a slice is news. */
  #replaceEvent(event: ScreenEvent): void {
    const before = this.#events.findIndex(({ kind }) => kind === event.kind);
    if (before === -1) this.#events.push(event);
    else this.#events[before] = event;
  }

  /** Costly sequences make a step longer than a slice; then steps become smaller, until a slice has several. */
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

  /** Half a character is not part of the state; main keeps those bytes. */
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

  /** With as much of the history as fits a snapshot; without links when not even the screen does; null when it still does not. */
  *#writeFitting(text: TerminalText, format: Format, scope: Scope): Generator<void, Deflated | null> {
    const written = yield* this.#writeCut(text, scope, { format, links: 'with links' });
    if (written !== null || format !== 'ansi') return written;
    return yield* this.#writeCut(text, scope, { format, links: 'without links' });
  }

  /** Null when not even the screen fits. */
  *#writeCut(text: TerminalText, scope: Scope, kind: Kind): Generator<void, Deflated | null> {
    let most = 0.9;
    for (let extent: SnapshotExtent = scope; ; ) {
      const written: Deflated | number = yield* writeText(text, extent, kind, this.#limits.bytes);
      if (typeof written !== 'number' && written.deflated.length <= this.#limits.deflatedBytes)
        return written;
      const { history, rows } = text.linesIn(extent);
      if (history === 0) return null;
      // By how far it came; a little less, for rows differ.
      const fitting = typeof written === 'number' ? written * 0.95 : rows / 2;
      extent = Math.max(0, Math.min(Math.floor(fitting - (rows - history)), Math.floor(history * most)));
      // After a bad guess the next goes further: where the large rows come last, a history is given up in a few.
      most *= most;
    }
  }

  *#putDown(): Generator<void, FromThread> {
    // No copy is needed: nothing comes before it has been put down.
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

/** A number when it is longer than `maxBytes`: of the rows that fit. */
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

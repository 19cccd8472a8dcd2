/**
 * Screens of the model, on both sides. A snapshot is the offset of its output, so that a client's screen is described
 * by the offset of its snapshot and the output written since.
 */

import type { Beginning, Screen } from '../../client/screen.ts';
import type { Size } from '../../protocol/frame.ts';
import type { SessionScreen } from '../../vm-agent/output/session-output.ts';
import type { Snapshot, Taken } from '../../vm-agent/screen/snapshot.ts';

const PICTURE = '\u0001';

/** The agent's side. Snapshots are taken on request of the test. */
export class ModelScreen implements SessionScreen {
  readonly #size: Size;
  watched = false;
  isAlternate = false;
  /** Where the size last changed. */
  resizedAt = 0;
  #end = 0;
  /** Not yet in the snapshot; output since the last but one always follows it. */
  #queue: Uint8Array = new Uint8Array(0);
  #fresh = 0;
  #asked: ((taken: Taken) => void)[] = [];

  constructor(size: Size) {
    this.#size = size;
  }

  write(offset: number, bytes: Uint8Array): void {
    if (offset !== this.#end) throw new Error(`the screen was given ${offset} after ${this.#end}`);
    this.#end += bytes.length;
    this.#fresh += bytes.length;
    const queue = new Uint8Array(this.#queue.length + bytes.length);
    queue.set(this.#queue);
    queue.set(bytes, this.#queue.length);
    this.#queue = queue;
  }

  resize(offset: number): void {
    this.resizedAt = offset;
  }

  setTheme(): void {}
  close(): void {}
  hasDrawn(): boolean {
    return true;
  }
  drain(): Promise<void> {
    return Promise.resolve();
  }

  /** How much is not part of the next snapshot, and follows it. */
  get behindBytes(): number {
    return this.#fresh;
  }

  /** Whether somebody waits for a snapshot. */
  get isAsked(): boolean {
    return this.#asked.length > 0;
  }

  snapshot(): Promise<Taken> {
    return new Promise((resolve) => this.#asked.push(resolve));
  }

  /** Parses what was there the last time, so that a snapshot is always a little late. */
  paint(): void {
    this.#queue = this.#queue.slice(this.#queue.length - this.#fresh);
    this.#fresh = 0;
    for (const resolve of this.#asked.splice(0)) resolve(this.#picture());
  }

  /** The thread has died, or the screen is too large: there is no snapshot. */
  fail(why: 'too large' | undefined): void {
    for (const resolve of this.#asked.splice(0)) resolve(why);
  }

  #picture(): Snapshot {
    const bytes = this.#queue;
    const offset = this.#end - bytes.length;
    const deflated = new TextEncoder().encode(`${PICTURE}${offset}`);
    const replay = bytes.length === 0 ? [] : [{ kind: 'output' as const, offset, bytes, queuedAt: 0 }];
    return {
      offset,
      size: this.#size,
      title: '',
      cwd: null,
      deflated,
      linesAbove: 1,
      bytes: deflated.length,
      replay,
      end: this.#end,
    };
  }
}

/** A page's side: what it shows, and whether it is being parsed. */
export class Shown implements Screen {
  /** The offset of the snapshot, or of the output without one; undefined while nothing is shown. */
  from: number | undefined;
  text = '';
  /** A stalled page parses nothing, and so acknowledges nothing. */
  isStalled = false;
  readonly #decoder = new TextDecoder();
  readonly #unparsed: (() => void)[] = [];

  write(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void {
    const text = this.#decoder.decode(bytes);
    if (text.startsWith(PICTURE)) this.from = Number(text.slice(1));
    else this.text += text;
    this.from ??= 0;
    this.#unparsed.push(shown);
    if (!this.isStalled) this.catchesUp();
  }

  catchesUp(): void {
    for (const shown of this.#unparsed.splice(0)) shown();
  }

  reset(beginning?: Beginning): void {
    this.from = beginning?.kind === 'delta' ? beginning.offset : undefined;
    this.text = '';
  }

  resize(): void {}

  /** Whether a terminal looks like this after a prefix of `printed`. */
  isTrueTo(printed: string): boolean {
    if (this.from === undefined) return this.text === '';
    return printed.startsWith(this.text, this.from);
  }

  isAllOf(printed: string): boolean {
    return this.isTrueTo(printed) && (this.from ?? 0) + this.text.length === printed.length;
  }
}

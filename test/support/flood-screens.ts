/** Screens for tests with a flood of output: one that only counts, and one that can be stalled. */
import type { Beginning, Screen } from '../../client/screen.ts';
import { TerminalScreen } from './terminal-screen.ts';

const ESC = '\x1b';
const PROMPT = new RegExp(`\\$ ?(?:${ESC}(?:\\[[\\d;?]*[ -/]?[A-Za-z]|[()].|[=>78]))*$`);

/**
 * Takes everything at once. It counts the bytes of output and those reported as skipped, and keeps the end of the
 * output.
 */
export class CountingScreen implements Screen {
  bytes = 0;
  /**
   * Bytes reported as skipped. On a machine so busy that the test was not running for seconds, no client is fast
   * enough.
   */
  lostBytes = 0;
  tail = '';
  #isPictureNext = false;
  #waiting: (() => void)[] = [];

  write(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void {
    if (!this.#isPictureNext) this.bytes += bytes.length;
    this.#isPictureNext = false;
    this.tail = (this.tail + new TextDecoder().decode(bytes.subarray(-64))).slice(-64);
    shown();
    for (const wake of this.#waiting.splice(0)) wake();
  }

  reset(beginning?: Beginning): void {
    this.#isPictureNext = beginning?.kind === 'snapshot';
    this.lostBytes += beginning?.lost ?? 0;
  }

  resize(): void {}

  /**
   * Whether the output ends with a prompt of `sh`. A snapshot, for a client that fell behind, ends with cursor and
   * modes.
   */
  get isAtPrompt(): boolean {
    return PROMPT.test(this.tail);
  }

  /** Resolves when `condition` holds; it is checked whenever something has arrived. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

/** A page on a machine that hangs: output arrives, but none of it is parsed or acknowledged. */
export class StallingScreen extends TerminalScreen {
  #isStalled = false;
  #unparsed: (() => void)[] = [];
  /** Bytes that arrived while stalled. */
  unparsedBytes = 0;
  /** Total of bytes reported as skipped: of several replays, the last may have skipped nothing. */
  lostBytes = 0;

  stall(): void {
    this.#isStalled = true;
  }

  wake(): void {
    this.#isStalled = false;
    this.unparsedBytes = 0;
    for (const parse of this.#unparsed.splice(0)) parse();
  }

  override write(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void {
    this.#orLater(bytes.length, () => super.write(bytes, shown));
  }

  override reset(beginning?: Beginning): void {
    this.lostBytes += beginning?.lost ?? 0;
    this.#orLater(0, () => super.reset());
  }

  override resize(size: { cols: number; rows: number }): void {
    this.#orLater(0, () => super.resize(size));
  }

  #orLater(bytes: number, act: () => void): void {
    if (!this.#isStalled) return act();
    this.unparsedBytes += bytes;
    this.#unparsed.push(act);
  }
}

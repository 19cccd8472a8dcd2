/** What stands at the end of a flood: somebody who only counts, and somebody who can be made to stall. */
import type { Beginning, Screen } from '../../client/screen.ts';
import { TerminalScreen } from './terminal-screen.ts';

const ESC = '\x1b';
const PROMPT = new RegExp(`\\$ ?(?:${ESC}(?:\\[[\\d;?]*[ -/]?[A-Za-z]|[()].|[=>78]))*$`);

/** Takes everything as fast as it comes; counts what was printed and shown, what it was told it missed, and how it ended. */
export class CountingScreen implements Screen {
  bytes = 0;
  /** Skipped, as told. On a machine so busy that it was away for seconds, nobody is fast. */
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

  /** Whether a prompt of `sh` came last. A picture, for one that fell behind, ends with the cursor and modes. */
  get isAtPrompt(): boolean {
    return PROMPT.test(this.tail);
  }

  /** Resolves when `condition` holds; looked at whenever something has come. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

/** A page whose machine is stuck: what arrives is taken in, and nothing of it is parsed or acknowledged. */
export class StallingScreen extends TerminalScreen {
  #isStalled = false;
  #unparsed: (() => void)[] = [];
  /** Arrived while it was stuck. */
  unparsedBytes = 0;
  /** Skipped, as told, in all: of several replays the last may have skipped nothing. */
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

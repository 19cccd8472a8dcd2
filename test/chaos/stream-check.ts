/** Checks a stream of checked lines: every one once, in order, unaltered. Pure. */
import { type CheckedLine, readLine } from './checked-line.ts';

export class StreamCheck {
  readonly #decoder = new TextDecoder();
  readonly #onLine: (line: CheckedLine) => void;
  readonly violations: string[] = [];
  #rest = '';
  #next = 0;
  /** Bytes that were checked. */
  bytes = 0;

  constructor(onLine: (line: CheckedLine) => void = () => {}) {
    this.#onLine = onLine;
  }

  /** How many lines have been seen. */
  get lines(): number {
    return this.#next;
  }

  take(bytes: Uint8Array): void {
    this.bytes += bytes.length;
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split('\r\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#check(line);
  }

  #check(text: string): void {
    const line = readLine(text);
    if (line === null) this.violations.push(`line ${this.#next} was altered: ${JSON.stringify(text)}`);
    else if (line.number > this.#next)
      this.violations.push(`lines ${this.#next} to ${line.number - 1} were lost`);
    else if (line.number < this.#next)
      this.violations.push(`line ${line.number} came again after ${this.#next - 1}`);
    // Continues after a loss, so that it is reported once.
    this.#next = (line?.number ?? this.#next) + 1;
    if (line !== null) this.#onLine(line);
  }
}

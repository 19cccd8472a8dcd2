/** A session whose output is recorded as it arrives: when, and whether it was ever anything but the plain continuation. */
import type { AttachedSession } from '../../client/attached-session.ts';
import type { Beginning, Screen } from '../../client/screen.ts';
import type { HeadlessClient } from '../../test/support/headless-client.ts';
import { within } from '../deadline.ts';

const SIZE = { cols: 80, rows: 24 };

export class WatchedSession implements Screen {
  readonly session: AttachedSession;
  readonly #take: (bytes: Uint8Array) => void;
  /** Restarts of the screen: after one, the output is no longer a single stream. */
  readonly restarts: Beginning['kind'][] = [];
  #lastAt = Number.NaN;
  #longestMs = 0;
  #longestFrom = Number.NaN;
  #waiting: (() => void)[] = [];

  private constructor(client: HeadlessClient, id: string, take: (bytes: Uint8Array) => void) {
    this.#take = take;
    this.session = client.client.attach(id, SIZE, this, { isNew: true });
  }

  static async open(
    client: HeadlessClient,
    script: string,
    take: (bytes: Uint8Array) => void,
  ): Promise<WatchedSession> {
    const { id } = await client.client.create({
      ...SIZE,
      name: 'bench',
      command: 'sh',
      args: ['-c', script],
    });
    return new WatchedSession(client, id, take);
  }

  write(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void {
    const now = performance.now();
    if (now - this.#lastAt > this.#longestMs) {
      this.#longestMs = now - this.#lastAt;
      this.#longestFrom = this.#lastAt;
    }
    this.#lastAt = now;
    this.#take(bytes);
    shown();
    for (const wake of this.#waiting.splice(0)) wake();
  }

  reset(beginning?: Beginning): void {
    if (beginning !== undefined) this.restarts.push(beginning.kind);
  }

  resize(): void {}

  /** Forgets the pauses so far. */
  restart(): void {
    this.#longestMs = 0;
    this.#longestFrom = Number.NaN;
  }

  /** The longest time between two arrivals, and when it began. */
  get longest(): { readonly ms: number; readonly from: number } {
    return { ms: this.#longestMs, from: this.#longestFrom };
  }

  async arrival(): Promise<void> {
    await within('output', new Promise<void>((resolve) => this.#waiting.push(resolve)));
  }

  type(text: string | Uint8Array): void {
    const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
    if (!this.session.type(bytes)) throw new Error('the input was not taken');
  }
}

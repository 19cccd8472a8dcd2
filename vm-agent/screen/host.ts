/**
 * All terminals of one thread, and whose turn it is. No session can hold up another:
 *
 *   snapshots before parsing, one slice each in turn …      a page waits for them
 *   … but after every snapshot slice one slice of parsing   so that many snapshots do not stop the output
 *   parsing in slices, one session after the other          a flood gets no more than its share
 *
 * A snapshot of another session therefore waits for at most one slice of parsing and one slice of each
 * snapshot before it, however long the queues are.
 */
import { HostedScreen } from './hosted-screen.ts';
import { PARSE_SLICE_MS, SNAPSHOT_SLICE_MS } from './limits.ts';
import { Rotation } from './rotation.ts';
import type { FromThread, ToThread } from './thread-messages.ts';

export interface HostOptions {
  readonly now: () => number;
  readonly post: (message: FromThread) => void;
  /** Told before and after each slice whose it is, so that a thread that dies names the culprit. */
  readonly working?: (screen: number) => void;
}

export class Host {
  readonly #now: () => number;
  readonly #post: (message: FromThread) => void;
  readonly #working: (screen: number) => void;
  readonly #screens = new Map<number, HostedScreen>();
  readonly #parsing = new Rotation<number>();
  readonly #snapshots = new Rotation<number>();
  #parseNext = false;
  /** Terminals were given up since somebody last cleaned up. */
  hasGarbage = false;

  constructor({ now, post, working }: HostOptions) {
    this.#now = now;
    this.#post = post;
    this.#working = working ?? (() => {});
  }

  get size(): number {
    return this.#screens.size;
  }

  receive(message: ToThread): void {
    if (message.type === 'open') {
      this.#screens.set(message.screen, new HostedScreen(message));
      this.#parsing.add(message.screen);
      return;
    }
    const screen = this.#screens.get(message.screen);
    if (screen === undefined) return; // closed meanwhile
    this.#tell(screen, message);
  }

  /** Does one slice of work. False when there was none. */
  turn(): boolean {
    const parse = () =>
      this.#parseSlice(this.#parsing.next((id) => this.#screens.get(id)?.canParse === true));
    const snapshot = () =>
      this.#snapshotSlice(this.#snapshots.next((id) => this.#screens.get(id)?.canSnapshot === true));
    const didWork = this.#parseNext ? parse() || snapshot() : snapshot() || parse();
    if (!didWork) this.#parseNext = false;
    return didWork;
  }

  #tell(screen: HostedScreen, message: Exclude<ToThread, { type: 'open' }>): void {
    switch (message.type) {
      case 'output':
        screen.receive({ kind: 'output', bytes: message.bytes });
        this.#parsing.add(message.screen);
        break;
      case 'resize':
        screen.receive({ kind: 'resize', size: message.size });
        this.#parsing.add(message.screen);
        break;
      case 'theme':
        screen.emulator.setTheme(message.theme);
        break;
      case 'snapshot':
        screen.ask(message);
        this.#snapshots.add(message.screen);
        break;
      case 'sleep':
        screen.sleep();
        this.#snapshots.add(message.screen);
        break;
      case 'close':
        this.#forget(message.screen);
    }
  }

  #parseSlice(id: number | undefined): boolean {
    const screen = id === undefined ? undefined : this.#screens.get(id);
    if (id === undefined || screen === undefined) return false;
    this.#parseNext = false;
    this.#work(id, () => this.#post(screen.parse(this.#until(PARSE_SLICE_MS))));
    return true;
  }

  #snapshotSlice(id: number | undefined): boolean {
    const screen = id === undefined ? undefined : this.#screens.get(id);
    if (id === undefined || screen === undefined) return false;
    this.#parseNext = true;
    this.#work(id, () => {
      const reply = screen.snapshotSlice(this.#until(SNAPSHOT_SLICE_MS));
      if (reply === undefined) return;
      if (reply.type === 'slept') this.#forget(id);
      this.#post(reply);
    });
    return true;
  }

  #work(id: number, slice: () => void): void {
    this.#working(id);
    slice();
    this.#working(0);
  }

  #until(ms: number): () => boolean {
    const end = this.#now() + ms;
    return () => this.#now() >= end;
  }

  #forget(id: number): void {
    this.hasGarbage = true;
    this.#screens.get(id)?.dispose();
    this.#screens.delete(id);
    this.#parsing.delete(id);
    this.#snapshots.delete(id);
  }
}

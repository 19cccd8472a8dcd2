/**
 * All terminals of one thread, and whose turn it is. No session can hold up another, and nobody who looks holds up a
 * program, which may wait for an answer:
 *
 *   parsing in slices, one session after the other      a flood gets no more than its share
 *   snapshots before parsing, one slice each in turn …  a page waits for them
 *   … and after each slice everyone who has output      so that output waits for one slice of one snapshot more than
 *     parses, also into a terminal that is written        without any, however many are asked for
 *   one whole history at a time, in order               each takes a copy of it
 *   falling asleep before snapshots                     output that comes meanwhile waits for the end of it
 *
 * A snapshot of a screen therefore waits for one round of parsing and one slice of each that has been begun.
 */
import { HostedScreen } from './hosted-screen.ts';
import { PARSE_SLICE_MS, SNAPSHOT_SLICE_MS } from './limits.ts';
import { Rotation } from './rotation.ts';
import type { FromThread, ToThread } from './thread-messages.ts';

interface HostOptions {
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
  readonly #sleepers = new Rotation<number>();
  /** Whose whole history is being written. */
  #historyOf: number | undefined;
  /** Slices of parsing before the next one of writing; to be counted after each of those. */
  #parsesDue: number | undefined = 0;
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
    const write = () =>
      this.#writeSlice(this.#sleepers.next((id) => this.#mayWrite(id))) ||
      this.#writeSlice(this.#snapshots.next((id) => this.#mayWrite(id)));
    this.#parsesDue ??= [...this.#screens.values()].filter(({ canParse }) => canParse).length;
    const didWork = this.#parsesDue > 0 ? parse() || write() : write() || parse();
    if (!didWork) this.#parsesDue = 0;
    return didWork;
  }

  #mayWrite(id: number): boolean {
    const screen = this.#screens.get(id);
    if (screen?.canSnapshot !== true) return false;
    return !screen.copiesHistory || this.#historyOf === undefined || this.#historyOf === id;
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
        this.#sleepers.add(message.screen);
        break;
      case 'close':
        this.#forget(message.screen);
    }
  }

  #parseSlice(id: number | undefined): boolean {
    const screen = id === undefined ? undefined : this.#screens.get(id);
    if (id === undefined || screen === undefined) return false;
    this.#parsesDue = Math.max(0, (this.#parsesDue ?? 0) - 1);
    this.#work(id, () => this.#post(screen.parse(this.#until(PARSE_SLICE_MS))));
    return true;
  }

  #writeSlice(id: number | undefined): boolean {
    const screen = id === undefined ? undefined : this.#screens.get(id);
    if (id === undefined || screen === undefined) return false;
    if (screen.copiesHistory) this.#historyOf = id;
    this.#work(id, () => {
      const reply = screen.snapshotSlice(this.#until(SNAPSHOT_SLICE_MS));
      if (reply === undefined) return;
      if (this.#historyOf === id) this.#historyOf = undefined;
      if (reply.type === 'slept') this.#forget(id);
      else this.#sleepers.delete(id);
      this.#post(reply);
    });
    this.#parsesDue = undefined;
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
    this.#sleepers.delete(id);
    if (this.#historyOf === id) this.#historyOf = undefined;
  }
}

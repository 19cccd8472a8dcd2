/**
 * Schedules the work for all terminals of one thread. No session can delay another, and snapshots cannot delay a
 * program, which may wait for a reply from its terminal:
 *
 *   parse in slices, one session after the other       bulk output gets no more than its share
 *   snapshots before parsing, one slice each in turn … clients wait for them
 *   … and after each slice every session with output   output waits for at most one slice of one snapshot,
 *     parses, even if its snapshot is being written      however many are requested
 *   one full history at a time, in order               each needs a copy of it
 *   falling asleep before snapshots                    output that arrives meanwhile waits until it is done
 *
 * So a snapshot of a screen waits for one round of parsing and one slice of every snapshot in progress.
 */
import { HostedScreen } from './hosted-screen.ts';
import { SharedImageRoom } from './images/shared-room.ts';
import { PARSE_SLICE_MS, SNAPSHOT_SLICE_MS } from './limits.ts';
import { Rotation } from './rotation.ts';
import type { FromThread, ToThread } from './thread-messages.ts';

interface HostOptions {
  readonly now: () => number;
  readonly post: (message: FromThread) => void;
  /** Called before and after each slice with its screen, so that the screen is known if the thread dies. */
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
  readonly #imageRoom = new SharedImageRoom();
  /** The screen whose full history is being written. */
  #historyOf: number | undefined;
  /** Parsing slices before the next writing slice; undefined: to be counted after a writing slice. */
  #parsesDue: number | undefined = 0;
  /** Terminals were disposed of since the last garbage collection. */
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
      this.#screens.set(message.screen, new HostedScreen(message, { imageRoom: this.#imageRoom }));
      this.#parsing.add(message.screen);
      return;
    }
    const screen = this.#screens.get(message.screen);
    if (screen === undefined) return; // closed meanwhile
    this.#tell(screen, message);
  }

  /** Does one slice of work. False if there was none. */
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
        screen.receive({ kind: 'theme', theme: message.theme });
        this.#parsing.add(message.screen);
        break;
      case 'snapshot':
        screen.ask(message);
        this.#snapshots.add(message.screen);
        break;
      case 'sleep':
        screen.sleep(message.maxImageChars);
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
    this.#work(id, () => {
      const began = this.#now();
      const parsed = screen.parse(() => this.#now() - began >= PARSE_SLICE_MS);
      this.#post({ ...parsed, tookMs: this.#now() - began });
    });
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

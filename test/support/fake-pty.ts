/** A fake program whose behaviour the test controls. */
import type { Size } from '../../protocol/frame.ts';
import type { Exit, OwnedPty, PtyEvents, SavedPty, SpawnOwned, SpawnSpec } from '../../vm-agent/pty/pty.ts';

const PAGE = 4096;

export class FakePty implements OwnedPty {
  readonly pid = 1;
  readonly bornAt = undefined;
  readonly starting = null;
  readonly spec: SpawnSpec;
  #events: PtyEvents;
  /** Input that was written and not yet taken. */
  readonly #queue: { readonly bytes: Uint8Array; readonly isAnswer?: boolean; readonly taken: () => void }[] =
    [];
  readonly signals: NodeJS.Signals[] = [];
  /** What the program has read so far. */
  typed = '';
  size: Size;
  paused = false;
  /** How often `prefer` was called, which happens when somebody types. */
  preferred = 0;
  /** Whether the program reads its input at once. */
  reads = true;
  /** Signals that do not end the program. */
  ignores: readonly NodeJS.Signals[] = [];
  #ended = false;
  /** The descriptor of its terminal. */
  fd = 0;

  constructor(spec: SpawnSpec, events: PtyEvents) {
    this.spec = spec;
    this.size = spec.size;
    this.#events = events;
  }

  /** `isAll`: nothing follows for the moment. A program that prints a whole page at once usually has more. */
  prints(text: string, isAll = text.length < PAGE): void {
    this.#events.output(new TextEncoder().encode(text), isAll);
  }

  exits(exit: Partial<Exit> = {}): void {
    this.#ended = true;
    this.#events.exited({ code: exit.signal === undefined ? 0 : null, signal: null, ...exit });
  }

  save(): SavedPty {
    const terminal = this.#ended ? null : { fd: this.fd, path: `/dev/pts/${this.fd}` };
    const waiting = this.#queue.map(({ bytes, isAnswer = false }) => ({ bytes, isAnswer }));
    return { pid: this.pid, bornAt: undefined, terminal, ended: null, waiting };
  }

  /** The program has another keeper now, which has none of what its process held. */
  continue(events: PtyEvents): this {
    this.#events = events;
    this.#queue.length = 0;
    this.paused = false;
    return this;
  }

  /** The terminal takes `count` bytes of the first write that waits. */
  takesPart(count: number): void {
    const [first] = this.#queue;
    if (first === undefined) return;
    this.typed += new TextDecoder().decode(first.bytes.subarray(0, count));
    this.#queue[0] = { ...first, bytes: first.bytes.subarray(count) };
  }

  /** Takes all pending input. */
  readsInput(): void {
    for (const { bytes, taken } of this.#queue.splice(0)) {
      this.typed += new TextDecoder().decode(bytes);
      taken();
    }
  }

  write(bytes: Uint8Array, taken: () => void): void {
    // A copy: `slice` of a Buffer is a view.
    this.#queue.push({ bytes: new Uint8Array(bytes), taken });
    if (this.reads) this.readsInput();
  }

  answer(bytes: Uint8Array): void {
    this.#queue.push({ bytes: new Uint8Array(bytes), isAnswer: true, taken: () => {} });
    if (this.reads) this.readsInput();
  }

  prefer(): void {
    this.preferred++;
  }

  get backlogBytes(): number {
    return this.#queue.reduce((sum, { bytes, isAnswer }) => sum + (isAnswer ? 0 : bytes.length), 0);
  }

  promise(): void {}

  forget(): void {}

  resize(size: Size): void {
    this.size = size;
    this.#events.resized?.(size);
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
  }

  readAtMost(): void {}

  cwd(): string | null {
    return this.spec.cwd;
  }

  foreground(): string | null {
    return 'sh';
  }

  signal(name: NodeJS.Signals): boolean {
    if (this.#ended) return false;
    this.signals.push(name);
    if (!this.ignores.includes(name)) this.exits({ signal: name, code: null });
    return true;
  }
}

/** A spawner that keeps the programs it spawned, newest last. */
export function fakeSpawner(): { readonly spawn: SpawnOwned; readonly ptys: FakePty[] } {
  const ptys: FakePty[] = [];
  return {
    ptys,
    spawn: (spec, events) => {
      const pty = new FakePty(spec, events);
      pty.fd = ptys.push(pty);
      return pty;
    },
  };
}

/** A pool on a hand-driven thread and clock, and screens that record their events. */
import { inflateState } from '../../../vm-agent/screen/deflate.ts';
import type { Emulator } from '../../../vm-agent/screen/emulator.ts';
import { SCROLLBACK_LINES } from '../../../vm-agent/screen/limits.ts';
import { ScreenPool } from '../../../vm-agent/screen/pool.ts';
import type { ScreenMirror } from '../../../vm-agent/screen/screen.ts';
import type { SessionScreenOptions } from '../../../vm-agent/screen/screen-options.ts';
import type { Snapshot, SnapshotRequest } from '../../../vm-agent/screen/snapshot.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { byHand, type HandThread } from './hand-thread.ts';
import { bytesOf, terminal } from './terminal-state.ts';

const SIZE = { cols: 40, rows: 8 };

/** A session's side: counts offsets, keeps its output, records events. */
export class Session {
  readonly screen: ScreenMirror;
  readonly log: string[] = [];
  readonly printed: Uint8Array[] = [];
  offset = 0;

  constructor(pool: ScreenPool, options: Partial<SessionScreenOptions> = {}) {
    const { log } = this;
    this.screen = pool.open(SIZE, {
      scrollbackLines: SCROLLBACK_LINES,
      events: {
        answer: (bytes) => void log.push(`answer ${JSON.stringify(new TextDecoder().decode(bytes))}`),
        title: (title) => void log.push(`title ${title}`),
        progress: (progress) => void log.push(`progress ${JSON.stringify(progress)}`),
        cwd: (path) => void log.push(`cwd ${path}`),
        bell: () => void log.push('bell'),
        noticed: ({ text, isLow }) => void log.push(`noticed ${isLow ? 'low ' : ''}${JSON.stringify(text)}`),
        full: (isFull) => void log.push(isFull ? 'full' : 'no longer full'),
        rebuilt: () => void log.push('rebuilt'),
      },
      ...options,
    });
  }

  prints(output: string | Uint8Array): void {
    const bytes = typeof output === 'string' ? bytesOf(output) : output;
    this.screen.write(this.offset, bytes);
    this.printed.push(bytes.slice());
    this.offset += bytes.length;
  }

  /** A snapshot that is not too large. */
  async snapshot(request: SnapshotRequest): Promise<Snapshot | undefined> {
    const taken = await this.screen.snapshot(request);
    if (taken === 'too large') throw new Error('a snapshot that is too large');
    return taken;
  }

  resizes(cols: number, rows: number): void {
    this.screen.resize(this.offset, { cols, rows });
  }
}

export interface World {
  readonly clock: FakeClock;
  readonly pool: ScreenPool;
  readonly threads: readonly HandThread[];
  readonly lost: string[];
  /** The newest thread. */
  readonly thread: HandThread;
  session(options?: Partial<SessionScreenOptions>): Session;
}

export function world(tickMs?: number): World {
  const clock = new FakeClock();
  const { threads, start } = byHand(tickMs);
  const lost: string[] = [];
  const pool = new ScreenPool({ clock, start, threadLost: (reason) => void lost.push(reason) });
  return {
    clock,
    pool,
    threads,
    lost,
    get thread() {
      const thread = threads.at(-1);
      if (thread === undefined) throw new Error('no thread yet');
      return thread;
    },
    session: (options) => new Session(pool, options),
  };
}

/** The terminal a page would have after writing a snapshot and what came since. */
export function shown(snapshot: Snapshot | undefined): Emulator {
  if (snapshot === undefined) throw new Error('no snapshot');
  const page = terminal(snapshot.size);
  page.restore(inflateState(snapshot.deflated));
  for (const piece of snapshot.replay) {
    if (piece.kind === 'output') page.write(piece.bytes);
    else page.resize(piece.size);
  }
  return page;
}

/** The terminal of a client that got everything. */
export function witness({ printed }: Session, size = SIZE): Emulator {
  const eye = terminal(size);
  for (const bytes of printed) eye.write(bytes);
  return eye;
}

export const text = (snapshot: Snapshot | undefined) =>
  new TextDecoder().decode(inflateState(snapshot?.deflated ?? new Uint8Array(0)));

/** Everything that a screen holds, as text. */
export async function textOf(session: Session, { thread }: World): Promise<string> {
  const asked = session.snapshot({ format: 'text', scope: 'all' });
  thread.run();
  return text(await asked);
}

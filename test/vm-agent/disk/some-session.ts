/** Sessions and state directories for tests. */
import { cpSync, lstatSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { SessionMetadata } from '../../../vm-agent/disk/metadata.ts';
import type { RecoveredSession } from '../../../vm-agent/disk/recovery.ts';
import { StateStore } from '../../../vm-agent/disk/state-store.ts';
import type { StoredSession } from '../../../vm-agent/disk/stored-session.ts';
import type { StoreWarning } from '../../../vm-agent/disk/warning.ts';
import { FakeClock } from '../../support/fake-clock.ts';

export function someMetadata(changes: Partial<SessionMetadata> = {}): SessionMetadata {
  return {
    command: '/bin/bash',
    args: ['-l'],
    cwd: '/home/ada',
    env: { HOME: '/home/ada', API_TOKEN: 'secret' },
    name: 'Terminal 1',
    key: 'tab-1',
    title: null,
    place: 0,
    size: { cols: 80, rows: 24 },
    createdAt: '2026-11-16T03:12:00.000Z',
    exit: null,
    ...changes,
  };
}

/** A terminal whose screen is everything it ever printed. */
export class PrintingSession {
  readonly stored: StoredSession;
  printed: string;
  /** Whether the store waits for a snapshot. */
  isAsked = false;

  constructor(store: StateStore, id: string, metadata: SessionMetadata, printed = '') {
    this.printed = printed;
    this.stored = store.session(id, metadata, {
      from: printed.length,
      snapshotNeeded: () => {
        this.isAsked = true;
      },
    });
  }

  prints(text: string): void {
    const offset = this.printed.length;
    this.printed += text;
    this.stored.append(offset, Buffer.from(text));
  }

  /** Provides its screen, as it is or as it was at an earlier offset. */
  draws(offset = this.printed.length): Promise<boolean> {
    return this.#handsOver(offset, this.printed.slice(0, offset));
  }

  /** Provides a screen that shows only the last bytes. */
  drawsTail(bytes = 10_000): Promise<boolean> {
    return this.#handsOver(this.printed.length, this.printed.slice(-bytes));
  }

  #handsOver(offset: number, screen: string): Promise<boolean> {
    this.isAsked = false;
    const data = asData(screen);
    return this.stored.writeSnapshot({ offset, size: { cols: 80, rows: 24 }, data });
  }
}

/** An agent's store in a directory, with a hand-driven clock. */
export class OpenStore {
  readonly clock = new FakeClock();
  readonly warnings: StoreWarning[] = [];
  readonly dir: string;
  store!: StateStore;
  recovered: readonly RecoveredSession[] = [];

  private constructor(dir: string) {
    this.dir = dir;
  }

  static async at(dir: string, quotaBytes = 2 ** 30): Promise<OpenStore> {
    const open = new OpenStore(dir);
    const warn = (warning: StoreWarning) => void open.warnings.push(warning);
    Object.assign(open, await StateStore.open(dir, { quotaBytes, clock: open.clock, warn }));
    return open;
  }

  session(id: string, changes: Partial<SessionMetadata> = {}): PrintingSession {
    return new PrintingSession(this.store, id, someMetadata(changes));
  }

  /** A restored session continues in a new shell. */
  revive(id: string): PrintingSession {
    const found = this.found(id);
    return new PrintingSession(this.store, id, found.metadata, screenOf(found));
  }

  found(id: string): RecoveredSession {
    const found = this.recovered.find((session) => session.id === id);
    if (found === undefined) throw new Error(`no session ${id} was recovered`);
    return found;
  }

  /** Time passes, and the disk finishes what it was given. */
  async passes(ms: number): Promise<void> {
    await this.store.settled();
    for (let left = ms; left > 0; left -= 500) {
      this.clock.advance(Math.min(left, 500));
      await this.store.settled();
    }
  }

  get codes(): string[] {
    return this.warnings.map(({ code }) => code);
  }
}

/** A screen as stored in a snapshot. Deflated in form only: it takes as much space as it is long. */
export function asData(screen: string): Uint8Array {
  return deflateRawSync(screen, { level: 0 });
}

/** What a recovered session shows, when every screen is all that was ever printed. */
export function screenOf({ snapshot, replay }: RecoveredSession): string {
  const rest = replay.map((record) => (record.type === 'output' ? Buffer.from(record.bytes).toString() : ''));
  return (snapshot === null ? '' : inflateRawSync(snapshot.data).toString()) + rest.join('');
}

export function temporaryDirectory(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'holdfast-disk-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/**
 * The directory as a crash at this moment would leave it: everything that was given to the kernel, without the lock.
 * Copying takes time; a copy during which something changed is inconsistent, and is made again.
 */
export function crashCopy(dir: string, under: string): string {
  for (;;) {
    const copy = join(mkdtempSync(join(under, 'crash-')), 'state');
    const before = fingerprint(dir);
    try {
      cpSync(dir, copy, { recursive: true, filter: (path) => !basename(path).startsWith('lock-') });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      continue;
    }
    if (before !== null && before === fingerprint(dir)) return copy;
  }
}

/** Changes with every file that is created, written, renamed or deleted; null if one disappeared meanwhile. */
function fingerprint(dir: string): string | null {
  try {
    const names = readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort();
    const stats = names.map((name) => lstatSync(join(dir, name), { bigint: true }));
    return names.map((name, index) => `${name} ${stats[index]?.ino} ${stats[index]?.mtimeNs}`).join('\n');
  } catch {
    return null;
  }
}

/** Every file under `dir`, with its size and mode. */
export function filesUnder(
  dir: string,
): { path: string; bytes: number; mode: number; isDirectory: boolean }[] {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => !basename(name).startsWith('lock-'))
    .map((name) => {
      const stats = statSync(join(dir, name));
      return { path: name, bytes: stats.size, mode: stats.mode & 0o777, isDirectory: stats.isDirectory() };
    });
}

export function bytesUnder(dir: string): number {
  return filesUnder(dir).reduce((sum, { bytes, isDirectory }) => sum + (isDirectory ? 0 : bytes), 0);
}

/** A session whose storage is with the keeper, and records what it leaves there. */
import { decodeMetadata, type SessionMetadata } from '../../../vm-agent/disk/metadata.ts';
import type { KeptSession } from '../../../vm-agent/disk/session-storage.ts';
import { decodeCheckpoint } from '../../../vm-agent/kept/checkpoint.ts';
import { KeeperStorage } from '../../../vm-agent/kept/kept-storage.ts';
import type { Scope } from '../../../vm-agent/screen/serializer/ansi.ts';
import type { Snapshot, Taken } from '../../../vm-agent/screen/snapshot.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { someMetadata } from '../disk/some-session.ts';

const SIZE = { cols: 80, rows: 24 };

export function snapshotAt(offset: number, deflatedBytes = 10): Snapshot {
  const deflated = new Uint8Array(deflatedBytes);
  return {
    offset,
    size: SIZE,
    title: '',
    cwd: null,
    deflated,
    bytes: 0,
    linesAbove: 0,
    replay: [],
    end: offset,
  };
}

/** `answer`: what becomes of the screen; by default it is drawn as it is. */
export function openKept(changes: Partial<KeptSession> = {}, answer?: (scope: Scope) => Taken) {
  const clock = new FakeClock();
  const told: string[] = [];
  const inner: string[] = [];
  const scopes: Scope[] = [];
  let metadata: SessionMetadata | string = '';
  const state = { version: 0, printed: changes.from ?? 0 };
  const snapshot = async (scope: Scope): Promise<Taken> => {
    scopes.push(scope);
    return answer === undefined ? snapshotAt(state.printed) : answer(scope);
  };
  const session: KeptSession = {
    ...{ id: 'id', handle: 7, metadata: someMetadata(), from: 0, cwd: () => null, snapshot },
    drain: async () => void told.push('7 drains'),
    commands: {
      get version() {
        return state.version;
      },
      nextNumber: 0,
      stored: () => [],
    },
    savedCommands: () => ({ to: state.printed, log: 'log' }) as never,
    ...changes,
  };
  const storages = new KeeperStorage(
    {
      flushed: async () => void told.push('flushed'),
      putBlob: (handle, name, bytes) => {
        if (name === 'metadata') metadata = decodeMetadata(Buffer.from(bytes));
        if (name === 'checkpoint') {
          const { offset, size, deflated } = decodeCheckpoint(Buffer.from(bytes));
          told.push(`${handle} checkpoint ${offset} ${size.cols} ${deflated.length}`);
        } else told.push(`${handle} ${name}`);
      },
      retain: (handle, offset) => told.push(`${handle} retain ${offset}`),
    },
    clock,
    () => ({
      append: (offset, bytes) => inner.push(`append ${offset} ${bytes.length}`),
      resized: (offset) => inner.push(`resized ${offset}`),
      update: () => inner.push('update'),
      remove: () => inner.push('remove'),
    }),
  );
  const storage = storages.keep(session);
  const prints = async (count: number) => {
    state.printed += count;
    storage.append(state.printed - count, new Uint8Array(count));
    await new Promise(setImmediate);
  };
  const passes = async (ms: number) => {
    clock.advance(ms);
    await new Promise(setImmediate);
  };
  const hears = () => told.splice(0).filter((line) => line !== '7 commands');
  return {
    clock,
    storages,
    storage,
    told,
    inner,
    scopes,
    state,
    prints,
    passes,
    hears,
    metadata: () => metadata,
  };
}

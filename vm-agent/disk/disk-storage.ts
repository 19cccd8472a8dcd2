/** Keeps sessions in a state directory, and brings back what an earlier life of the agent left there. */
import { PROGRAM_RESET } from '../../protocol/terminal/divider.ts';
import { inflateState } from '../screen/deflate.ts';
import type { ScreenPool } from '../screen/pool.ts';
import type { ScreenMirror } from '../screen/screen.ts';
import type { SnapshotRequest } from '../screen/snapshot.ts';
import { restoredDivider, rowsOf } from './divider.ts';
import type { RecoveredSession } from './recovery.ts';
import type { Keep } from './session-storage.ts';
import type { StateStore } from './state-store.ts';

/** A session of an earlier life, and what its next one begins with. */
export interface Revival {
  readonly old: RecoveredSession;
  /** The old screen and the divider below it, as output for a fresh terminal of the session's size. */
  readonly screen: Uint8Array;
  /** What the old output is followed by: a reset of what its program left begun, and the divider. */
  readonly ending: Uint8Array;
}

/**
 * The store goes on counting where the old output ended, and a revived session counts anew: `shift` lies between the
 * two. The ending is kept like output, so that another restart replays the output of the new shell below the divider
 * and not into the screen of the old program.
 */
export function keepOnDisk(store: StateStore, revivals: readonly Revival[]): Keep {
  const revived = new Map(revivals.map((revival) => [revival.old.id, revival]));
  return ({ id, metadata, from, snapshot, cwd }) => {
    const revival = revived.get(id);
    revived.delete(id);
    const end = revival?.old.end ?? 0;
    const shift = end + (revival?.ending.length ?? 0) - from;
    const stored = store.session(id, metadata, { from: end, snapshotNeeded: () => void write(), cwd });
    if (revival !== undefined) {
      stored.resized(end, metadata.size);
      stored.append(end, revival.ending);
    }
    const write = async () => {
      const taken = await snapshot();
      if (taken === undefined) return;
      if (taken === 'too large') return stored.hasNoSnapshot('a screen is too large');
      const { offset, size, deflated } = taken;
      await stored.writeSnapshot({ offset: offset + shift, size, data: deflated });
    };
    return {
      append: (offset, bytes) => stored.append(offset + shift, bytes),
      resized: (offset, size) => stored.resized(offset + shift, size),
      update: (changes) => stored.updateMetadata(changes),
      remove: () => void stored.remove(),
    };
  };
}

/**
 * Drawn by a screen of its own, so that questions the old program asked are answered to nobody: what was saved cannot
 * type into the new shell.
 */
export async function drawOldScreen(
  screens: ScreenPool,
  old: RecoveredSession,
  { scrollbackLines, maxBytes }: { readonly scrollbackLines: number; readonly maxBytes: number },
): Promise<Revival> {
  const { metadata, snapshot, replay, lostBytes } = old;
  const { size } = metadata;
  const screen = screens.open(snapshot?.size ?? size, { scrollbackLines, events: UNHEARD });
  let at = 0;
  const print = (bytes: Uint8Array) => {
    screen.write(at, bytes);
    at += bytes.length;
  };
  if (snapshot !== null) print(inflateState(snapshot.data));
  for (const record of replay) {
    if (record.type === 'output') print(record.bytes);
    else screen.resize(at, record.size);
  }
  screen.resize(at, size);
  const reset = Buffer.from(PROGRAM_RESET);
  print(reset);
  const text = await written(screen, { format: 'text', scope: 'screen', atLeast: at });
  const usedRows = rowsOf(Buffer.from(text ?? []).toString(), size);
  const divider = restoredDivider({ at: new Date(), lostBytes, cols: size.cols, usedRows });
  print(divider);
  const drawn = await drawnWithin(maxBytes, screen, at);
  screen.close();
  // Too large to be drawn: what it said, without its colours, is better than nothing.
  const plain = () => Buffer.concat([asLines(text), divider]);
  return { old, screen: drawn ?? plain(), ending: Buffer.concat([reset, divider]) };
}

/** As much of the history as fits; undefined when not even the screen does. */
async function drawnWithin(
  maxBytes: number,
  screen: ScreenMirror,
  atLeast: number,
): Promise<Uint8Array | undefined> {
  for (const scope of ['all', 'recent', 'screen'] as const) {
    const drawn = await written(screen, { format: 'ansi', scope, atLeast });
    if (drawn !== undefined && drawn.length <= maxBytes) return drawn;
  }
  return undefined;
}

/** Undefined when there is none: it would be too large, or the screen was lost. */
async function written(screen: ScreenMirror, request: SnapshotRequest): Promise<Uint8Array | undefined> {
  const taken = await screen.snapshot(request);
  return taken === undefined || taken === 'too large' ? undefined : inflateState(taken.deflated);
}

/** Text as output. */
function asLines(text: Uint8Array | undefined): Buffer {
  return Buffer.from(
    Buffer.from(text ?? [])
      .toString()
      .replaceAll('\n', '\r\n'),
  );
}

const UNHEARD = { answer() {}, title() {}, cwd() {}, bell() {}, full() {}, rebuilt() {} };

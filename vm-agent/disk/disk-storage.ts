/** Stores sessions in a state directory, and restores the sessions that an earlier agent process left there. */
import type { Clock } from '../../protocol/clock.ts';
import { PROGRAM_RESET } from '../../protocol/terminal/divider.ts';
import { OLD_WIDTHS } from '../../protocol/terminal/width/old-widths.ts';
import { inflateState } from '../screen/deflate.ts';
import type { ScreenPool } from '../screen/pool.ts';
import type { ScreenMirror } from '../screen/screen.ts';
import type { SnapshotRequest } from '../screen/snapshot.ts';
import { restoredDivider, rowsOf } from './divider.ts';
import type { JournalRecord } from './record.ts';
import type { RecoveredSession } from './recovery.ts';
import type { Keep } from './session-storage.ts';
import type { StateStore } from './state-store.ts';

/** A session of an earlier agent process, and what its revival starts with. */
export interface Revival {
  readonly old: RecoveredSession;
  /** The old screen and the divider below it, as output for a fresh terminal of the session's size. */
  readonly screen: Uint8Array;
  /** What is appended to the old output: a reset of unfinished terminal state, and the divider. */
  readonly ending: Uint8Array;
}

/**
 * The store continues the offsets of the old output, but a revived session counts from 0; `shift` is the difference.
 * The ending is stored like output, so that after another restart the new shell's output is replayed below the divider
 * and not into the screen of the old program. `adopted` sessions go on: what they printed while no agent ran is missing.
 */
export function keepOnDisk(
  store: StateStore,
  revivals: readonly Revival[],
  adopted: readonly RecoveredSession[],
): Keep {
  const revived = new Map(revivals.map((revival) => [revival.old.id, revival]));
  // A byte is left out behind what is stored: the store then knows that output is missing, and asks for a snapshot.
  const continued = new Map(adopted.map((old) => [old.id, old.end + 1]));
  return ({ id, metadata, from, snapshot, cwd, commands }) => {
    const revival = revived.get(id);
    revived.delete(id);
    const end = revival?.old.end ?? continued.get(id) ?? 0;
    continued.delete(id);
    const shift = end + (revival?.ending.length ?? 0) - from;
    const stored = store.session(id, metadata, {
      from: end,
      snapshotNeeded: () => void write(),
      cwd,
      commands,
    });
    if (revival !== undefined) {
      stored.resized(end, metadata.size);
      stored.append(end, revival.ending);
    }
    const write = async () => {
      const taken = await snapshot('all');
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

interface DrawingLimits {
  readonly scrollbackLines: number;
  readonly maxBytes: number;
  /** The time for drawing; when it is over, less is drawn. */
  readonly withinMs: number;
  readonly clock: Clock;
}

/**
 * Saved output may take hours to parse, and the agent dials only after its sessions are revived. So output that takes
 * too long is left out: the session then comes back with its last snapshot, or with an empty screen.
 */
export async function drawOldScreen(
  screens: ScreenPool,
  old: RecoveredSession,
  limits: DrawingLimits,
): Promise<Revival> {
  const whole = await drawWithin(screens, old, limits);
  if (whole !== undefined) return whole;
  const skippedBytes = old.replay.reduce((sum, record) => sum + bytesOf(record), 0);
  const lostBytes = old.lostBytes + skippedBytes;
  // A snapshot is our own text of a bounded length, so it may take longer, on a machine that is busy.
  const patient = { ...limits, withinMs: 3 * limits.withinMs };
  const withoutReplay = await drawWithin(screens, { ...old, replay: [], lostBytes }, patient);
  if (withoutReplay !== undefined) return { ...withoutReplay, old };
  const { cols } = old.metadata.size;
  const divider = restoredDivider({ at: new Date(), lostBytes, cols, usedRows: 0 });
  return { old, screen: divider, ending: Buffer.concat([RESET, divider]) };
}

function bytesOf(record: JournalRecord): number {
  return record.type === 'output' ? record.bytes.length : 0;
}

const RESET = Buffer.from(PROGRAM_RESET);

/**
 * Drawn on a separate screen whose replies go nowhere: queries in the saved output must not type into the new shell.
 * Undefined if it takes too long.
 */
async function drawWithin(
  screens: ScreenPool,
  old: RecoveredSession,
  { scrollbackLines, maxBytes, withinMs, clock }: DrawingLimits,
): Promise<Revival | undefined> {
  const { metadata, snapshot, replay, lostBytes } = old;
  const { size, widths = OLD_WIDTHS, marksNonce } = metadata;
  const options = { scrollbackLines, widths, marksNonce, events: UNHEARD };
  const screen = screens.open(snapshot?.size ?? size, options);
  // The time counts from the first reply: starting the thread takes seconds on a busy machine, whatever was saved.
  await screen.snapshot({ format: 'text', scope: 'screen' });
  // A closed screen answers every request at once.
  const cancel = clock.after(withinMs, () => screen.close());
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
  print(RESET);
  const text = await written(screen, { format: 'text', scope: 'screen', atLeast: at });
  const usedRows = rowsOf(Buffer.from(text ?? []).toString(), size);
  const divider = restoredDivider({ at: new Date(), lostBytes, cols: size.cols, usedRows });
  print(divider);
  const drawn = await drawnWithin(maxBytes, screen, at);
  cancel();
  if (screen.state === 'closed') return undefined;
  screen.close();
  // Too large to draw: the text without colours is better than nothing.
  const plain = () => Buffer.concat([asLines(text), divider]);
  return { old, screen: drawn ?? plain(), ending: Buffer.concat([RESET, divider]) };
}

/** As much of the history as fits; undefined if not even the screen does. */
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

/** Undefined if there is no snapshot: it would be too large, or the screen was lost. */
async function written(screen: ScreenMirror, request: SnapshotRequest): Promise<Uint8Array | undefined> {
  const taken = await screen.snapshot(request);
  return taken === undefined || taken === 'too large' ? undefined : inflateState(taken.deflated);
}

/** Converts text to terminal output. */
function asLines(text: Uint8Array | undefined): Buffer {
  return Buffer.from(
    Buffer.from(text ?? [])
      .toString()
      .replaceAll('\n', '\r\n'),
  );
}

const UNHEARD = { answer() {}, title() {}, progress() {}, cwd() {}, bell() {}, full() {}, rebuilt() {} };

/** Keeps sessions in a state directory, and brings back what an earlier life of the agent left there. */
import { inflateRawSync } from 'node:zlib';
import { restoredDivider } from './disk/divider.ts';
import type { RecoveredSession } from './disk/recovery.ts';
import type { StateStore } from './disk/state-store.ts';
import type { ScreenPool } from './screen/pool.ts';
import type { Keep } from './session-keeper.ts';

/**
 * A revived session counts its output anew, and the store goes on counting: `shift` lies between the two.
 */
export function keepOnDisk(store: StateStore, recovered: readonly RecoveredSession[]): Keep {
  const ends = new Map(recovered.map(({ id, end }) => [id, end]));
  return ({ id, metadata, from, snapshot }) => {
    const stored = store.session(id, metadata, {
      from: ends.get(id) ?? 0,
      snapshotNeeded: () => void write(),
    });
    const shift = (ends.get(id) ?? 0) - from;
    const write = async () => {
      const taken = await snapshot();
      if (taken === undefined) return;
      const { offset, size, deflated, cwd } = taken;
      if (cwd !== null) stored.updateMetadata({ cwd });
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
 * What a revived session begins with: the old screen and a line below it, as output for a fresh terminal of
 * the session's size. Drawn by a screen of its own, so that questions the old program asked are answered to
 * nobody: what was saved cannot type into the new shell.
 */
export async function drawOldScreen(
  screens: ScreenPool,
  old: RecoveredSession,
  scrollbackLines: number,
): Promise<Uint8Array> {
  const { metadata, snapshot, replay, lostBytes } = old;
  const screen = screens.open(snapshot?.size ?? metadata.size, { scrollbackLines, events: UNHEARD });
  let at = 0;
  const print = (bytes: Uint8Array) => {
    screen.write(at, bytes);
    at += bytes.length;
  };
  if (snapshot !== null) print(inflateRawSync(snapshot.data));
  for (const record of replay) {
    if (record.type === 'output') print(record.bytes);
    else screen.resize(at, record.size);
  }
  screen.resize(at, metadata.size);
  print(restoredDivider({ at: new Date(), lostBytes, cols: metadata.size.cols }));
  const drawn = await screen.snapshot({ format: 'ansi', scope: 'all', atLeast: at });
  screen.close();
  return drawn === undefined ? new Uint8Array(0) : inflateRawSync(drawn.deflated);
}

const UNHEARD = { answer() {}, title() {}, cwd() {}, bell() {}, full() {}, rebuilt() {} };

/** Reads what an earlier agent process left with the keeper, to continue its sessions. */
import type { SavedCommands } from '../commands/session-commands.ts';
import { decodeMetadata, type SessionMetadata } from '../disk/metadata.ts';
import { OUTPUT_FRAME_MAX_BYTES, REPLACED_MAX_BYTES } from '../keeper/limits.ts';
import { RETURN_MAX_BYTES } from '../output/session-output.ts';
import { decodeAssist, type SavedAssist } from '../run/saved-assist.ts';
import { inflateState } from '../screen/deflate.ts';
import type { ScreenStart } from '../screen/screen-options.ts';
import { decodeCheckpoint } from './checkpoint.ts';
import type { Found, FoundSession, KeeperLink } from './keeper-link.ts';

/**
 * What a program prints until its clients are back: while there was no agent, and while this one connects. Reads may
 * exceed each limit by a frame.
 */
export const ADOPTED_EXTRA_BYTES = REPLACED_MAX_BYTES + RETURN_MAX_BYTES + 2 * OUTPUT_FRAME_MAX_BYTES;

/** A session that runs, and where this process continues it. */
export interface Adoption {
  readonly found: FoundSession;
  readonly metadata: SessionMetadata;
  /** The screen, and its size there. */
  readonly screen: ScreenStart & { readonly size: FoundSession['spec']['size'] };
  readonly commands: SavedCommands | undefined;
  /** Runs and typed texts; undefined if there were none. */
  readonly assist: SavedAssist | undefined;
}

/** The sessions to continue. Those that nobody knows of are ended. */
export function adoptionsOf(keeper: Pick<KeeperLink, 'discard'>, { sessions }: Found): Adoption[] {
  return sessions.flatMap((found) => {
    const adoption = adoptionOf(found);
    if (adoption !== null) return [adoption];
    keeper.discard(found);
    return [];
  });
}

/**
 * Null if the process that started it died before it had told anybody: a session without metadata is nobody's.
 */
export function adoptionOf(found: FoundSession): Adoption | null {
  const metadata = decodeMetadata(found.blobs.get('metadata') ?? Buffer.alloc(0));
  if (typeof metadata === 'string') return null;
  const commands = found.blobs.get('commands');
  const runs = found.blobs.get('runs');
  return {
    found,
    metadata,
    screen: screenOf(found, metadata),
    commands: commands === undefined ? undefined : JSON.parse(commands.toString()),
    assist: runs === undefined ? undefined : decodeAssist(runs),
  };
}

/** From the last checkpoint if the output since then was kept, else from the oldest output. */
function screenOf(found: FoundSession, { attention }: SessionMetadata): Adoption['screen'] {
  const noticedUntil = attention?.noticesTo;
  const { start, end, spec } = found;
  const blob = found.blobs.get('checkpoint');
  const checkpoint = blob === undefined ? undefined : decodeCheckpoint(blob);
  if (checkpoint === undefined || checkpoint.offset < start)
    return { offset: start, size: spec.size, drawing: new Uint8Array(0), silentUntil: end, noticedUntil };
  const { offset, size, deflated } = checkpoint;
  return { offset, size, drawing: inflateState(deflated), silentUntil: end, noticedUntil };
}

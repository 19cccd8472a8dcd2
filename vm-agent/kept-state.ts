/** The state directory of a running agent. It is opened before the first dial and closed before the shells end. */

import { StateDirectoryError } from '../node/directory-lock.ts';
import { logEvent } from '../node/log.ts';
import { systemClock } from '../node/system-clock.ts';
import { Refusal } from '../protocol/errors.ts';
import { CLOSE_AFTER_MAX_MS } from '../protocol/limits.ts';
import { OLD_WIDTHS } from '../protocol/terminal/width/old-widths.ts';
import { drawOldScreen, keepOnDisk, type Revival } from './disk/disk-storage.ts';
import type { SessionMetadata } from './disk/metadata.ts';
import type { RecoveredSession } from './disk/recovery.ts';
import { type Keep, keepNothing } from './disk/session-storage.ts';
import { StateStore } from './disk/state-store.ts';
import { canEnter } from './pty/launch-checks.ts';
import { acceptable } from './pty/session-environment.ts';
import type { ScreenPool } from './screen/pool.ts';
import type { Session } from './session/session.ts';
import type { SessionManager } from './session/session-manager.ts';
import { type AgentConfig, ConfigError } from './settings/config.ts';

export interface KeptState {
  readonly keep: Keep;
  /**
   * Sessions to revive, in their old order. The caller removes each one it revives, because their screens are large.
   */
  readonly revivals: Revival[];
  /** Whether the agent's next life will revive the sessions. */
  readonly isKept: boolean;
  /** Writes everything held; nothing is stored afterwards. */
  close(): Promise<void>;
}

/** What is known of the agent process before this one. */
interface Before {
  /** The sessions that still run, and need no revival. */
  readonly alive?: ReadonlySet<string>;
  /** How long it may take to release the directory. */
  readonly lockWithinMs?: number;
}

export async function openState(
  config: AgentConfig,
  screens: ScreenPool,
  { alive = new Set(), lockWithinMs = 0 }: Before = {},
): Promise<KeptState> {
  if (config.stateDir === '')
    return { keep: keepNothing, revivals: [], isKept: false, close: async () => {} };
  const { store, recovered } = await openStore(config, lockWithinMs);
  const revivals: Revival[] = [];
  const deadline = systemClock.now() + REVIVED_WITHIN_MS;
  let leftBytes = REVIVED_MAX_BYTES;
  for (const old of recovered) {
    if (alive.has(old.id)) continue;
    // A session whose program had ended has nothing to revive, and one whose time is up would be closed at once.
    if (old.metadata.exit !== null || closesInMs(old) === 0) await store.discard(old.id);
    else {
      const maxBytes = Math.min(leftBytes, REVIVED_SCREEN_MAX_BYTES);
      const revival = await drawOldScreen(screens, old, {
        scrollbackLines: config.scrollbackLines,
        maxBytes,
        withinMs: Math.max(SCREEN_MIN_MS, Math.min(SCREEN_MAX_MS, deadline - systemClock.now())),
        clock: systemClock,
      });
      leftBytes = Math.max(0, leftBytes - revival.screen.length);
      revivals.push(revival);
    }
  }
  const adopted = recovered.filter(({ id }) => alive.has(id));
  return { keep: keepOnDisk(store, revivals, adopted), revivals, isKept: true, close: () => store.close() };
}

/**
 * Old screens are held as output until all sessions are revived, and once more until they are parsed. A screen with a
 * full history of coloured lines has about a megabyte; a hostile one has thirty.
 */
const REVIVED_SCREEN_MAX_BYTES = 8 * 1024 * 1024;
const REVIVED_MAX_BYTES = 64 * 1024 * 1024;

/**
 * The agent dials when all old screens are drawn. One takes tens of milliseconds; hostile output takes hours. A screen
 * gets most of the time while there is some, and enough for an ordinary one afterwards.
 */
const REVIVED_WITHIN_MS = 30_000;
const SCREEN_MAX_MS = 5_000;
const SCREEN_MIN_MS = 500;

async function openStore(config: AgentConfig, lockWithinMs: number) {
  try {
    return await StateStore.open(config.stateDir, {
      quotaBytes: config.stateQuotaBytes,
      clock: systemClock,
      lockWithinMs,
      warn: ({ code, message }) => logEvent('warn', `state_${code}`, { message }),
    });
  } catch (error) {
    if (error instanceof StateDirectoryError) throw new ConfigError(error.message);
    throw error;
  }
}

/** Time until it will be closed: 0 if that time has passed, undefined if it will not be. */
function closesInMs({
  metadata: { closeAt = null },
}: Pick<RecoveredSession, 'metadata'>): number | undefined {
  if (closeAt === null) return undefined;
  // The clock may have been set back since then, by any amount.
  return Math.min(Math.max(0, Date.parse(closeAt) - Date.now()), CLOSE_AFTER_MAX_MS);
}

/** Closes a session when an earlier agent process said that it would be closed. */
export function closeInTime(sessions: SessionManager, session: Session, metadata: SessionMetadata): void {
  const afterMs = closesInMs({ metadata });
  if (afterMs !== undefined) sessions.closeLater(session, afterMs);
}

/** Starts the same command in the same directory, or in the home directory if that no longer exists. */
export function reviveSession(sessions: SessionManager, old: RecoveredSession, screen: Uint8Array): void {
  const { command, args, cwd, env, name, key, size, graceMs } = old.metadata;
  const { widths = OLD_WIDTHS, commands, marksNonce } = old.metadata;
  const place = canEnter(cwd) ? { cwd } : {};
  try {
    const session = sessions.revive(
      old.id,
      {
        command,
        args,
        env: acceptable(env),
        name,
        size,
        graceMs,
        widths,
        commands,
        marksNonce,
        ...place,
        ...(key === null ? {} : { key }),
      },
      screen,
    );
    closeInTime(sessions, session, old.metadata);
    logEvent('info', 'session_revived', { session: old.id });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    logEvent('warn', 'session_not_revived', { session: old.id, code: error.code, message: error.message });
  }
}

/** The state directory in a running agent: opened before the first dial, closed before the shells. */

import { StateDirectoryError } from '../node/directory-lock.ts';
import { systemClock } from '../node/system-clock.ts';
import { Refusal } from '../protocol/errors.ts';
import { CLOSE_AFTER_MAX_MS } from '../protocol/limits.ts';
import { drawOldScreen, keepOnDisk, type Revival } from './disk/disk-storage.ts';
import type { RecoveredSession } from './disk/recovery.ts';
import { type Keep, keepNothing } from './disk/session-storage.ts';
import { StateStore } from './disk/state-store.ts';
import { logEvent } from './log.ts';
import { canEnter } from './pty/launch-checks.ts';
import { acceptable } from './pty/session-environment.ts';
import type { ScreenPool } from './screen/pool.ts';
import type { SessionManager } from './session/session-manager.ts';
import { type AgentConfig, ConfigError } from './settings/config.ts';

export interface KeptState {
  readonly keep: Keep;
  /** Sessions to go on with, in their old order. Whoever revives them takes them out: their screens are large. */
  readonly revivals: Revival[];
  /** Whether a next life goes on with the sessions. */
  readonly isKept: boolean;
  /** Writes what is held; nothing is kept from then on. */
  close(): Promise<void>;
}

export async function openState(config: AgentConfig, screens: ScreenPool): Promise<KeptState> {
  if (config.stateDir === '')
    return { keep: keepNothing, revivals: [], isKept: false, close: async () => {} };
  const { store, recovered } = await openStore(config);
  const revivals: Revival[] = [];
  let leftBytes = REVIVED_MAX_BYTES;
  for (const old of recovered) {
    // A program that had ended has no shell to come back as, and one whose time is up would have none for long.
    if (old.metadata.exit !== null || closesInMs(old) === 0) await store.discard(old.id);
    else {
      const maxBytes = Math.min(leftBytes, REVIVED_SCREEN_MAX_BYTES);
      const revival = await drawOldScreen(screens, old, {
        scrollbackLines: config.scrollbackLines,
        maxBytes,
      });
      leftBytes = Math.max(0, leftBytes - revival.screen.length);
      revivals.push(revival);
    }
  }
  return { keep: keepOnDisk(store, revivals), revivals, isKept: true, close: () => store.close() };
}

/**
 * Old screens are held as output until all sessions are revived, and once more until they are parsed. One with a full history of
 * coloured lines has about a megabyte; hostile ones have thirty.
 */
const REVIVED_SCREEN_MAX_BYTES = 8 * 1024 * 1024;
const REVIVED_MAX_BYTES = 64 * 1024 * 1024;

async function openStore(config: AgentConfig) {
  try {
    return await StateStore.open(config.stateDir, {
      quotaBytes: config.stateQuotaBytes,
      clock: systemClock,
      warn: ({ code, message }) => logEvent('warn', `state_${code}`, { message }),
    });
  } catch (error) {
    if (error instanceof StateDirectoryError) throw new ConfigError(error.message);
    throw error;
  }
}

/** How long until it is to be closed: 0 when that time has passed, undefined when it is not to be. */
function closesInMs({ metadata: { closeAt = null } }: RecoveredSession): number | undefined {
  if (closeAt === null) return undefined;
  // The clock may have been set back since, by any amount.
  return Math.min(Math.max(0, Date.parse(closeAt) - Date.now()), CLOSE_AFTER_MAX_MS);
}

/** The same command in the same place; where that place is gone, at home. */
export function reviveSession(sessions: SessionManager, old: RecoveredSession, screen: Uint8Array): void {
  const { command, args, cwd, env, name, key, size, graceMs } = old.metadata;
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
        ...place,
        ...(key === null ? {} : { key }),
      },
      screen,
    );
    const closeAfterMs = closesInMs(old);
    if (closeAfterMs !== undefined) sessions.closeLater(session, closeAfterMs);
    logEvent('info', 'session_revived', { session: old.id });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    logEvent('warn', 'session_not_revived', { session: old.id, code: error.code, message: error.message });
  }
}

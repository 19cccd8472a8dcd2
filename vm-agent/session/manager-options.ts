/** What the manager of all sessions needs, and what it tells. */
import type { Clock } from '../../protocol/clock.ts';
import type { CloseReason } from '../../protocol/messages/session-info.ts';
import type { LookForWait } from '../attention/session-notices.ts';
import type { SessionMetadata } from '../disk/metadata.ts';
import type { Keep } from '../disk/session-storage.ts';
import type { LiveOutputEvents } from '../output/audience.ts';
import type { OpenScreen } from '../output/session-output.ts';
import type { SpawnPty, SpawnSpec } from '../pty/pty.ts';
import type { MarkShell } from '../shell/shell-marks.ts';
import type { Session } from './session.ts';
import type { SessionEvents } from './session-events.ts';
import type { ExpiryLimits } from './session-expiry.ts';
import type { AdoptedSession } from './session-options.ts';
import type { SessionDefaults } from './session-request.ts';

/** Limits on time, memory and number of sessions. */
export interface SessionLimits extends ExpiryLimits {
  readonly historyBytes: number;
  readonly maxSessions: number;
  readonly whenFull: 'refuse' | 'evict-oldest-orphan';
}

export interface ManagerEvents extends Omit<SessionEvents<Session>, 'audienceChanged'> {
  /** Something in the session's description changed. */
  changed(session: Session): void;
  removed(session: Session, reason: CloseReason): void;
  /** Asks who is connected. The answer goes to `presenceAnswered`. */
  askPresence(question: string): void;
}

export interface ManagerOptions {
  /** The epoch of the keeper; a new one without it. */
  readonly epoch?: string | undefined;
  readonly spawn: SpawnPty;
  /** By default shells are started as they are. */
  readonly markShell?: MarkShell;
  readonly openScreen: OpenScreen;
  /** By default nobody knows whether a program waits for input. */
  readonly lookForWait?: LookForWait;
  /** Stores what the agent's next life needs. */
  readonly keep: Keep;
  readonly clock: Clock;
  readonly limits: SessionLimits;
  readonly defaults: SessionDefaults;
  readonly events: ManagerEvents;
  /** What becomes of the output of a new session. */
  readonly outputEvents: (session: Session) => LiveOutputEvents;
}

/** A session of an earlier agent process that this one continues. */
export interface Adoptable extends Omit<AdoptedSession, 'createdAt' | 'title' | 'attention'> {
  readonly id: string;
  readonly handle: number;
  readonly spec: SpawnSpec;
  readonly metadata: SessionMetadata;
  readonly spawn: SpawnPty;
}

/** What a session is called, and what it needs. */
import type { Theme } from '../../protocol/messages/message-parts.ts';
import type { LookForWait } from '../attention/session-notices.ts';
import type { SavedCommands } from '../commands/session-commands.ts';
import type { StoredCommands } from '../commands/stored-commands.ts';
import type { SavedAttention } from '../disk/metadata.ts';
import type { Keep } from '../disk/session-storage.ts';
import type { LiveOutputEvents } from '../output/audience.ts';
import type { CreditWindow } from '../output/credit-window.ts';
import type { WindowOwner } from '../output/credit-windows.ts';
import type { AdoptedOutput, OpenScreen } from '../output/session-output.ts';
import type { SavedAssist } from '../run/saved-assist.ts';
import type { AdoptedTerminal, TerminalOptions } from '../terminal/terminal.ts';
import type { SessionEvents } from './session-events.ts';

export interface SessionIdentity {
  readonly id: string;
  /** The session's number in data frames. */
  readonly handle: number;
  readonly epoch: string;
  readonly key: string | null;
  readonly name: string;
  /** The version of the model that measures its text, for all of its life. */
  readonly widths: string;
  /** Proves that a mark in the output was made by our script in its shell. */
  readonly marksNonce: string;
  /** Its own grace period, if it has one. */
  readonly graceMs?: number;
}

/** A session that another agent process has started, and what that process did. */
export interface AdoptedSession extends AdoptedTerminal, AdoptedOutput {
  readonly createdAt: Date;
  readonly title: string | null;
  readonly commands: SavedCommands | undefined;
  readonly assist: SavedAssist | undefined;
  readonly attention: SavedAttention | undefined;
}

export interface SessionOptions<S> extends TerminalOptions {
  readonly adopted?: AdoptedSession | undefined;
  readonly openScreen: OpenScreen;
  /** The credit window of a client. */
  readonly windowOf: (viewer: WindowOwner) => CreditWindow;
  readonly events: SessionEvents<S>;
  readonly outputEvents: (session: S) => LiveOutputEvents;
  readonly keep: Keep;
  /** The session's position in the list. */
  readonly place: number;
  /** The session that this one replaces. */
  readonly replaces?: string | undefined;
  /** Colours of the window that created it. */
  readonly theme?: Theme | undefined;
  /** Proves that marks are those of our shell script; null if none are proven. */
  readonly marksNonce: string | null;
  /** The commands of a revived session. */
  readonly earlierCommands: StoredCommands | undefined;
  readonly lookForWait?: LookForWait | undefined;
}

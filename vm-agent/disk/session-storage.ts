/**
 * The interface for what outlives the agent. disk-storage.ts implements it with a state directory; without a state
 * directory nothing is kept.
 */
import type { Size } from '../../protocol/frame.ts';
import type { SavedCommands } from '../commands/session-commands.ts';
import type { StoredCommand } from '../commands/stored-commands.ts';
import type { Scope } from '../screen/serializer/ansi.ts';
import type { Taken } from '../screen/snapshot.ts';
import type { SessionMetadata } from './metadata.ts';

export interface SessionStorage {
  append(offset: number, bytes: Uint8Array): void;
  resized(offset: number, size: Size): void;
  update(changes: Partial<SessionMetadata>): void;
  /** Leaves something for another agent process of the same keeper, if there is one. */
  put?(what: string, bytes: Uint8Array): void;
  /** The session is gone for good. */
  remove(): void;
}

/** The commands of a running session. */
export interface KeptCommands {
  /** Counts changes. */
  readonly version: number;
  /** No command has this number, or a higher one. */
  readonly nextNumber: number;
  stored(): readonly StoredCommand[];
}

export interface KeptSession {
  readonly id: string;
  /** The session's number in data frames. */
  readonly handle: number;
  readonly metadata: SessionMetadata;
  /**
   * Offset of the first new byte: 0, the end of the old screen that a revived session starts with, or the end of what
   * another agent process has stored.
   */
  readonly from: number;
  /** The offset of the screen that another agent process has left with the keeper. */
  readonly checkpointAt?: number | undefined;
  /** Takes a snapshot to store. */
  readonly snapshot: (scope: Scope) => Promise<Taken>;
  /** Resolves once the screen is not far behind the output, and keeps it so; the program is slowed down for that. */
  readonly drain: () => Promise<void>;
  /** The program's current working directory; null if unknown. */
  readonly cwd: () => string | null;
  readonly commands: KeptCommands;
  /** Everything about them that another agent process needs that reads the same output. */
  readonly savedCommands?: () => SavedCommands;
}

export type Keep = (session: KeptSession) => SessionStorage;

export const keepNothing: Keep = () => ({ append() {}, resized() {}, update() {}, remove() {} });

/**
 * The interface for what outlives the agent. disk-storage.ts implements it with a state directory; without a state
 * directory nothing is kept.
 */
import type { Size } from '../../protocol/frame.ts';
import type { StoredCommand } from '../commands/stored-commands.ts';
import type { Taken } from '../screen/snapshot.ts';
import type { SessionMetadata } from './metadata.ts';

export interface SessionStorage {
  append(offset: number, bytes: Uint8Array): void;
  resized(offset: number, size: Size): void;
  update(changes: Partial<SessionMetadata>): void;
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
  readonly metadata: SessionMetadata;
  /** Offset of the first new byte: 0, or the end of the old screen that a revived session starts with. */
  readonly from: number;
  /** Takes a snapshot of the whole screen to store. */
  readonly snapshot: () => Promise<Taken>;
  /** The program's current working directory; null if unknown. */
  readonly cwd: () => string | null;
  readonly commands: KeptCommands;
}

export type Keep = (session: KeptSession) => SessionStorage;

export const keepNothing: Keep = () => ({ append() {}, resized() {}, update() {}, remove() {} });

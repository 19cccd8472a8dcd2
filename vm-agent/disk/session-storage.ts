/**
 * What of a session outlives the agent. disk-storage.ts keeps it in a directory; without one nothing is kept.
 */
import type { Size } from '../../protocol/frame.ts';
import type { Taken } from '../screen/snapshot.ts';
import type { SessionMetadata } from './metadata.ts';

export interface SessionStorage {
  append(offset: number, bytes: Uint8Array): void;
  resized(offset: number, size: Size): void;
  update(changes: Partial<SessionMetadata>): void;
  /** The session is gone for good. */
  remove(): void;
}

export interface KeptSession {
  readonly id: string;
  readonly metadata: SessionMetadata;
  /** Offset of the first byte that is new: 0, or behind the old screen that a revived session begins with. */
  readonly from: number;
  /** The whole screen, for when a new one is to be kept. */
  readonly snapshot: () => Promise<Taken>;
  /** Where its program is now; null when that is not known. */
  readonly cwd: () => string | null;
}

export type Keep = (session: KeptSession) => SessionStorage;

export const keepNothing: Keep = () => ({ append() {}, resized() {}, update() {}, remove() {} });

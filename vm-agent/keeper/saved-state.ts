/** Everything that a keeper passes on to the keeper that replaces it. */
import type { Exit, SavedPty, SpawnSpec } from '../pty/pty.ts';
import type { LedgerEntry } from '../terminal/input-ledger.ts';
import type { SizeChange } from '../terminal/size-history.ts';

export interface SavedKeeper {
  readonly epoch: string;
  readonly programs: readonly SavedProgram[];
}

export interface SavedProgram {
  readonly handle: number;
  readonly id: string;
  readonly spec: SpawnSpec;
  readonly historyBytes: number;
  /** The session was removed, and its program is being ended. */
  readonly isForgotten: boolean;
  readonly pty: Omit<SavedPty, 'waiting'>;
  /** Input that the terminal has not accepted, in order. */
  readonly input: readonly SavedInput[];
  readonly exit: Exit | null;
  readonly output: { readonly start: number; readonly pieces: readonly Uint8Array[] };
  /** Whether the terminal was empty after the last read. */
  readonly isAll: boolean;
  /** The next agent needs output from here on. */
  readonly retain: number;
  readonly sizes: readonly SizeChange[];
  readonly ledger: readonly LedgerEntry[];
  readonly blobs: readonly (readonly [name: string, bytes: Uint8Array])[];
}

export interface SavedInput {
  readonly bytes: Uint8Array;
  /** Whose it is, and how much was written at once, of which `bytes` is the rest. Null for a reply to a query. */
  readonly of: Written | null;
}

export interface Written {
  readonly instance: string;
  readonly count: number;
}

/** What a kept program needs, and what it tells. */
import type { Clock } from '../../protocol/clock.ts';
import type { Size } from '../../protocol/frame.ts';
import type { Exit, OwnedPty, PtyEvents, SpawnSpec } from '../pty/pty.ts';
import type { SavedProgram } from './saved-state.ts';

/** What a program tells the agent that is attached. */
export interface ProgramEvents {
  /** Whether the agent's socket takes more. */
  readonly isWritable: boolean;
  /** Whether programs must wait because together they hold too much. */
  readonly isOverfull: boolean;
  /** Whether the next agent should be there by now. */
  readonly isOverdue: boolean;
  output(offset: number, bytes: Uint8Array, isAll: boolean): void;
  resized(offset: number, size: Size): void;
  taken(instance: string, count: number, isEarlier: boolean): void;
  exited(exit: Exit): void;
}

export interface ProgramOptions {
  readonly handle: number;
  readonly id: string;
  readonly spec: SpawnSpec;
  readonly historyBytes: number;
  /** Set if it was started by an earlier keeper. */
  readonly saved?: SavedProgram;
  /** Starts it, or continues with it. */
  readonly start: (events: PtyEvents) => OwnedPty;
  readonly clock: Clock;
  readonly events: ProgramEvents;
}

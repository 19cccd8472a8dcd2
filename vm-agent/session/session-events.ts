/** The events a session emits, in order, beside those of its output (`LiveOutputEvents`). */
import type { Size } from '../../protocol/frame.ts';
import type { ClientRole } from '../../protocol/roles.ts';
import type { Described } from './description.ts';

/** `Session` is the class in session.ts, which this file cannot import because it imports this file. */
export interface SessionEvents<Session> {
  resized(session: Session, offset: number, size: Size): void;
  inputTaken(session: Session, channel: number, offset: number): void;
  /** A client with this role attached or left. */
  audienceChanged(session: Session, role: ClientRole): void;
  /** Another client drives now. */
  driverChanged(session: Session): void;
  /** The foreground program, the title or the progress changed. */
  described(session: Session, channel: number, described: Described): void;
  /** A command has ended, as the shell tells. */
  commandEnded(session: Session): void;
  /** The session wants attention, or none any more. */
  attentionChanged(session: Session): void;
  /** All output has been sent; `session.exit` says how the program ended. */
  exited(session: Session, offset: number): void;
}

/** The events a session emits, in order. */
import type { Size } from '../../protocol/frame.ts';
import type { ClientRole } from '../../protocol/roles.ts';
import type { Attachment } from '../output/attachment.ts';
import type { Described } from './description.ts';

/** `Session` is the class in session.ts, which this file cannot import because it imports this file. */
export interface SessionEvents<Session> {
  /** `wantsAck`: clients must acknowledge this frame at once. */
  output(session: Session, offset: number, bytes: Uint8Array, wantsAck: boolean): void;
  resized(session: Session, offset: number, size: Size): void;
  inputTaken(session: Session, channel: number, offset: number): void;
  /** A client with this role attached or left. */
  audienceChanged(session: Session, role: ClientRole): void;
  /** Another client drives now. */
  driverChanged(session: Session): void;
  /** A client does not keep up; it gets no output until it resumes. */
  lagging(session: Session, viewer: Attachment): void;
  /** A client can resume: it has everything below `has`. */
  relieved(session: Session, viewer: Attachment, has: number): void;
  /** Output or a bell happened that a hidden client does not see. */
  unseen(session: Session, viewer: Attachment, what: { readonly bell: boolean }): void;
  /** The foreground program or the title changed. */
  described(session: Session, channel: number, described: Described): void;
  /** All output has been sent; `session.exit` says how the program ended. */
  exited(session: Session, offset: number): void;
}

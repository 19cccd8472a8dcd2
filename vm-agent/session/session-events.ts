/** What a session tells the world, in order. */
import type { Size } from '../../protocol/frame.ts';
import type { ClientRole } from '../../protocol/messages.ts';
import type { Attachment } from '../output/attachment.ts';
import type { Described } from './description.ts';

/** `Session` is the class of session.ts, which cannot be named here: it depends on this file. */
export interface SessionEvents<Session> {
  /** `wantsAck`: whoever gets it says at once that it has. */
  output(session: Session, offset: number, bytes: Uint8Array, wantsAck: boolean): void;
  resized(session: Session, offset: number, size: Size): void;
  inputTaken(session: Session, channel: number, offset: number): void;
  /** A viewer of this role came or went. */
  audienceChanged(session: Session, role: ClientRole): void;
  /** The terminal is sized for another window from now on. */
  driverChanged(session: Session): void;
  /** A viewer does not keep up; it is told no more output until it is brought back. */
  lagging(session: Session, viewer: Attachment): void;
  /** A viewer is to be brought up to date: it has everything below `has`. */
  relieved(session: Session, viewer: Attachment, has: number): void;
  /** Something was printed, or the bell rang, that a viewer does not look at. */
  unseen(session: Session, viewer: Attachment, what: { readonly bell: boolean }): void;
  /** Another program runs in it, or it has another title. */
  described(session: Session, channel: number, described: Described): void;
  /** Everything printed has been told; `session.exit` says how it ended. */
  exited(session: Session, offset: number): void;
}

/** Handles attaching a client to a session, hiding it and detaching it. */

import type { Clock } from '../../protocol/clock.ts';
import { Refusal } from '../../protocol/errors.ts';
import type { ClientMessageOf } from '../../protocol/messages/client-message.ts';
import type { ClientRole } from '../../protocol/roles.ts';
import { assistantId } from '../keyboard/assistant-id.ts';
import type { Attachment, Describing } from '../output/attachment.ts';
import type { Session } from '../session/session.ts';
import type { SessionManager } from '../session/session-manager.ts';
import type { CatchUp } from './catch-up.ts';
import type { RecoveryObserver } from './recoveries.ts';
import { exitedMessage, type Uplink } from './uplink.ts';

type Reattach = ClientMessageOf<'reattach_session'>;

/** The client that asks. */
export interface Asker {
  readonly channel: number;
  readonly role: ClientRole;
  /** Who it is, as the relay says; undefined if it did not. */
  readonly name: string | undefined;
}

interface AttachingParts {
  readonly sessions: SessionManager;
  readonly uplink: Uplink;
  readonly catchUp: CatchUp;
  readonly clock: Clock;
  readonly recoveries: RecoveryObserver;
}

export class Attaching {
  readonly #parts: AttachingParts;

  constructor(parts: AttachingParts) {
    this.#parts = parts;
  }

  /** Confirm, replay, subscribe, in one ordered stream: live output begins where the replay ends. [OU1] */
  attach({ channel, role, name }: Asker, message: Reattach): void {
    const { catchUp, clock, sessions, uplink } = this.#parts;
    const askedAt = clock.now();
    const session = this.#attachable(role, message);
    const { handle, marksNonce } = session.identity;
    uplink.tell({ type: 'unsubscribe', channel, handle });
    const sameLife = message.epoch === undefined || message.epoch === sessions.epoch;
    const { cols, rows, theme, instance, history = 'all', isScript = false } = message;
    const describe = describingOf(message);
    const assistant = message.holder === undefined ? undefined : assistantId(message.holder);
    const viewer: Attachment = { channel, role, name, instance, history, describe, isScript, assistant };
    const window = cols === undefined || rows === undefined ? null : { cols, rows, theme };
    session.clients.attach(viewer, window, { isVisible: message.hidden !== true });
    uplink.reply(channel, {
      type: 'session_reattached',
      request: message.request,
      session: session.info,
      handle,
      marksNonce,
      // A viewer cannot type, so it gets no entry in the input ledger. [RL7]
      inputOffset: role === 'viewer' ? 0 : session.input.taken(instance, sameLife ? (message.typed ?? 0) : 0),
    });
    if (message.hidden) return this.hide(channel, session, describe);
    const isReturn = message.from !== undefined;
    catchUp.begin(session, viewer, sameLife ? message.from : undefined, { askedAt, isReturn });
  }

  /** The client is hidden: no replay and no output, only a mark when there is some. [OU13] */
  hide(channel: number, session: Session, describe: Describing = false): void {
    const { uplink } = this.#parts;
    uplink.tell({ type: 'unsubscribe', channel, handle: session.identity.handle });
    session.clients.hide(channel, describe);
    if (session.exit !== null) uplink.reply(channel, exitedMessage(session));
  }

  detach(channel: number, session: Session): void {
    this.#parts.uplink.tell({ type: 'unsubscribe', channel, handle: session.identity.handle });
    session.clients.detach(channel);
  }

  /** Finds the session and checks that the client may attach; a refusal counts as a failed recovery. */
  #attachable(role: ClientRole, { session: id, exited, instance, once }: Reattach): Session {
    try {
      const session = this.#parts.sessions.find(id);
      if (session.exit !== null && exited !== 'read') {
        throw new Refusal('session_exited', 'The program of this session has ended.');
      }
      if (once !== undefined && role === 'operator') session.input.promise(instance, once);
      return session;
    } catch (error) {
      this.#parts.recoveries.failed();
      throw error;
    }
  }
}

/** How much a client wants to know that attaches or hides. */
export function describingOf({
  describe = false,
  onlyAttention = false,
}: Pick<Reattach, 'describe' | 'onlyAttention'>): Describing {
  return describe && onlyAttention ? 'attention' : describe;
}

/**
 * Sends one session's live output to its subscribers, and tells the relay and the clients who does not get it. Frames
 * go straight to the link: a person waits for every one of them.
 */
import type { WireFrame } from '../../protocol/connection.ts';
import { CHANNEL_ALL, encodeFrame } from '../../protocol/frame.ts';
import type { Attachment } from '../output/attachment.ts';
import type { LiveOutputEvents } from '../output/audience.ts';
import type { Session } from '../session/session.ts';
import type { CatchUp } from './catch-up.ts';
import type { DebtWatch } from './debt-watch.ts';
import type { Uplink } from './uplink.ts';

interface LiveOutputParts {
  readonly session: Session;
  /** Sends a frame to the relay, in order with what `uplink` sends. */
  readonly send: (frame: WireFrame) => void;
  readonly uplink: Uplink;
  readonly catchUp: CatchUp;
  readonly debts: DebtWatch;
}

export class LiveOutput implements LiveOutputEvents {
  readonly #parts: LiveOutputParts;
  readonly #handle: number;

  constructor(parts: LiveOutputParts) {
    this.#parts = parts;
    this.#handle = parts.session.identity.handle;
  }

  output(offset: number, bytes: Uint8Array, wantsAck: boolean): void {
    const { debts, send } = this.#parts;
    send(
      encodeFrame({ kind: 'output', channel: CHANNEL_ALL, handle: this.#handle, offset, wantsAck }, bytes),
    );
    debts.sent();
  }

  lagging({ channel }: Attachment): void {
    this.#parts.uplink.tell({ type: 'unsubscribe', channel, handle: this.#handle });
  }

  relieved(viewer: Attachment, has: number): void {
    this.#parts.catchUp.bringBack(this.#parts.session, viewer, has);
  }

  unseen({ channel }: Attachment, { bell }: { readonly bell: boolean }): void {
    const { session, uplink } = this.#parts;
    uplink.reply(channel, { type: 'session_activity', session: session.identity.id, bell });
  }
}

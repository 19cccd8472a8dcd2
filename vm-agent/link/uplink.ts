/** Builds the agent's messages and frames, and sends them to the relay in call order. */

import type { WireFrame } from '../../protocol/connection.ts';
import { CHANNEL_ALL, encodeFrame, encodeSize, type Size } from '../../protocol/frame.ts';
import { PAYLOAD_MAX_BYTES } from '../../protocol/limits.ts';
import type { AgentMessage } from '../../protocol/messages/agent-message.ts';
import type { ServerMessage } from '../../protocol/messages/server-message.ts';
import type { Session } from '../session/session.ts';

export class Uplink {
  readonly #send: (frame: WireFrame) => void;
  #isSilent = false;

  constructor(send: (frame: WireFrame) => void) {
    this.#send = send;
  }

  tell(message: AgentMessage): void {
    if (!this.#isSilent) this.#send(JSON.stringify(message));
  }

  reply(channel: number, message: ServerMessage): void {
    this.tell({ type: 'to_client', channel, message });
  }

  tellEverybody(message: ServerMessage): void {
    this.tell({ type: 'to_clients', message });
  }

  /** Sends no messages while `act` runs, because the relay need not know. */
  silently(act: () => void): void {
    this.#isSilent = true;
    act();
    this.#isSilent = false;
  }

  resized({ identity: { handle } }: Session, offset: number, size: Size, channel = CHANNEL_ALL): void {
    this.#send(encodeFrame({ kind: 'resize', channel, handle, offset }, encodeSize(size)));
  }

  inputTaken({ identity: { handle } }: Session, channel: number, offset: number): void {
    this.#send(encodeFrame({ kind: 'ack', channel, handle, offset }));
  }

  /** A snapshot for one client. */
  snapshot({ identity: { handle } }: Session, channel: number, deflated: Uint8Array): void {
    this.#sendCut('snapshot', channel, handle, 0, deflated);
  }

  /** Output that one client missed; the frame that ends at `askAt` asks for an acknowledgement. */
  missed(
    { identity: { handle } }: Session,
    channel: number,
    { offset, bytes }: { readonly offset: number; readonly bytes: Uint8Array },
    askAt: number,
  ): void {
    this.#sendCut('output', channel, handle, offset, bytes, askAt);
  }

  #sendCut(
    kind: 'output' | 'snapshot',
    channel: number,
    handle: number,
    offset: number,
    bytes: Uint8Array,
    askAt = Number.POSITIVE_INFINITY,
  ): void {
    for (let at = 0; at < bytes.length; at += PAYLOAD_MAX_BYTES) {
      const piece = bytes.subarray(at, at + PAYLOAD_MAX_BYTES);
      const wantsAck = offset + at + piece.length === askAt;
      this.#send(encodeFrame({ kind, channel, handle, offset: offset + at, wantsAck }, piece));
    }
  }
}

export function exitedMessage(session: Session, offset = session.end): ServerMessage {
  const { code = null, signal = null } = session.exit ?? {};
  return { type: 'session_exited', session: session.identity.id, exitCode: code, signal, offset };
}

export function driverMessage(session: Session, channel: number): ServerMessage {
  return { type: 'session_driver', session: session.identity.id, yours: session.clients.driver === channel };
}

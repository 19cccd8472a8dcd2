/**
 * Types one input into a session, exactly once. The input is the whole stream of the client's instance: the agent knows
 * how much of it was taken, so a request that is repeated with the same instance types only what is missing. [IN8]
 *
 * It goes on after a reconnect, but never in another epoch of the agent, where another program may run.
 */

import type { Clock } from '../../protocol/clock.ts';
import { Refusal } from '../../protocol/errors.ts';
import { encodeFrame, type Frame } from '../../protocol/frame.ts';
import { PAYLOAD_MAX_BYTES } from '../../protocol/limits.ts';
import type { ClientMessage } from '../../protocol/messages/client-message.ts';
import type { ServerMessage, ServerMessageOf } from '../../protocol/messages/server-message.ts';
import { deferred } from './deferred.ts';
import { NoAnswer } from './requests.ts';

export interface TypeOptions {
  /** A digest of the input. If the instance has typed something else, the input is refused with `input_conflict`. */
  readonly once?: string;
  readonly withinMs: number;
  /** The assistant for which it is typed; its own keyboard does not keep it out. [AS4] */
  readonly holder?: string;
}

interface InputLink {
  readonly clock: Clock;
  readonly instance: string;
  newRequest(): string;
  sendMessage(message: ClientMessage): void;
  sendFrame(frame: Uint8Array<ArrayBuffer>): void;
}

export class InputRequest {
  readonly id: string;
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #link: InputLink;
  readonly #options: TypeOptions;
  readonly #outcome = deferred<void>();
  #request: string | undefined;
  #handle: number | undefined;
  /** The epoch of the agent that may have been sent input. */
  #epoch: string | undefined;

  constructor(id: string, bytes: Uint8Array<ArrayBuffer>, link: InputLink, options: TypeOptions) {
    this.id = id;
    this.#bytes = bytes;
    this.#link = link;
    this.#options = options;
  }

  /**
   * Resolves when the program was given everything. Rejects with a Refusal when nothing was typed, and with NoAnswer
   * when that is unknown.
   */
  async outcome(): Promise<void> {
    const late = new NoAnswer('The input was not taken in time.');
    const cancel = this.#link.clock.after(this.#options.withinMs, () => this.#outcome.reject(late));
    await this.#outcome.promise.finally(cancel);
  }

  /** The session's number in data frames, while attached. */
  get handle(): number | undefined {
    return this.#handle;
  }

  /** The agent is connected, perhaps again: asks how much it has taken. */
  attach(): void {
    const { holder, once } = this.#options;
    this.#handle = undefined;
    this.#request = this.#link.newRequest();
    this.#link.sendMessage({
      type: 'reattach_session',
      request: this.#request,
      session: this.id,
      instance: this.#link.instance,
      ...(once === undefined ? {} : { once }),
      hidden: true,
      exited: 'read',
      // Only programs type in this way, and they wait for an assistant that has the keyboard. [AS4]
      isScript: true,
      ...(holder === undefined ? {} : { holder }),
    });
  }

  /** The connection was lost. What was sent may have been taken; the next attach tells. */
  detached(): void {
    this.#handle = undefined;
    this.#request = undefined;
  }

  /** The agent is not connected. Unless it may have been sent something, nothing was typed. */
  offline(): void {
    this.detached();
    if (this.#epoch === undefined)
      this.#outcome.reject(new Refusal('agent_offline', 'The machine is not connected; try again later.'));
  }

  /** The connection was closed for good. */
  left(): void {
    this.#outcome.reject(new NoAnswer());
  }

  receive(message: ServerMessage): void {
    if (message.type === 'error') return this.#refused(message);
    if (message.type !== 'session_reattached' || message.request !== this.#request) return;
    const { epoch, status } = message.session;
    const isOtherLife = this.#epoch !== undefined && this.#epoch !== epoch;
    if (isOtherLife) return this.#outcome.reject(new NoAnswer('The machine was restarted.'));
    this.#epoch = epoch;
    if (message.inputOffset >= this.#bytes.length) return this.#outcome.resolve();
    if (status !== 'running') {
      const why = 'The program of this session has ended. No input was sent.';
      return this.#outcome.reject(new Refusal('session_exited', why));
    }
    this.#handle = message.handle;
    this.#send(message.handle, message.inputOffset);
  }

  receiveFrame({ kind, offset }: Frame): void {
    if (kind === 'ack' && offset >= this.#bytes.length) this.#outcome.resolve();
  }

  #send(handle: number, from: number): void {
    for (let offset = from; offset < this.#bytes.length; offset += PAYLOAD_MAX_BYTES) {
      const piece = this.#bytes.subarray(offset, offset + PAYLOAD_MAX_BYTES);
      this.#link.sendFrame(encodeFrame({ kind: 'input', channel: 0, handle, offset }, piece));
    }
  }

  #refused({ code, message, request }: ServerMessageOf<'error'>): void {
    if (request !== undefined && request !== this.#request) return;
    if (code === 'agent_offline') return this.offline();
    // A frame was refused. If there were several frames, an earlier one may have been accepted.
    const isKnown = request !== undefined || this.#bytes.length <= PAYLOAD_MAX_BYTES;
    this.#outcome.reject(isKnown ? new Refusal(code, message) : new NoAnswer(message));
  }
}

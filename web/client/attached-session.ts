/**
 * One session as this client sees it: attaches, shows output, keeps what was typed, and does it all again
 * after every reconnect.
 *
 *   attaching ───────► live ───────► exited
 *      ▲   │ refused     │
 *      │   └─► gone      │ connection or agent lost
 *      └─────────────────┘
 */
import type { Clock } from '../../protocol/clock.ts';
import type { ErrorCode } from '../../protocol/errors.ts';
import { decodeSize, encodeFrame, type Frame, type Size } from '../../protocol/frame.ts';
import type { ClientMessage, ServerMessage, ServerMessageOf, SessionInfo } from '../../protocol/messages.ts';
import { AckPacer } from './ack-pacer.ts';
import { InputOutbox } from './input-outbox.ts';
import { OutputCursor } from './output-cursor.ts';

/** Where a session's output goes: a terminal, or whatever stands for one. */
export interface Screen {
  /** Shows bytes; `shown` runs when they have been parsed, in order. */
  write(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void;
  /** Forgets everything: another beginning follows. */
  reset(): void;
  resize(size: Size): void;
}

export type SessionState =
  | { readonly name: 'attaching' }
  | { readonly name: 'live' }
  | { readonly name: 'exited'; readonly exitCode: number | null; readonly signal: string | null }
  /** The session can not be attached: it does not exist any more, or may not be watched. */
  | { readonly name: 'gone'; readonly code: ErrorCode; readonly why: string };

export interface Link {
  readonly instance: string;
  readonly clock: Clock;
  sendMessage(message: ClientMessage): void;
  sendFrame(frame: Uint8Array<ArrayBuffer>): void;
  newRequest(): string;
  stateChanged(session: AttachedSession): void;
}

export class AttachedSession {
  readonly id: string;
  readonly #link: Link;
  readonly #screen: Screen;
  readonly #cursor = new OutputCursor();
  readonly #outbox = new InputOutbox();
  readonly #pacer: AckPacer;
  #state: SessionState = { name: 'attaching' };
  #size: Size;
  #epoch: string | undefined;
  #handle: number | undefined;
  /** Output up to here was printed before we attached; until it is shown we are catching up. */
  #replayEnd: number | undefined;
  #exit:
    | { readonly offset: number; readonly exitCode: number | null; readonly signal: string | null }
    | undefined;
  #lost = 0;
  #request = '';

  constructor(id: string, size: Size, screen: Screen, link: Link) {
    this.id = id;
    this.#size = size;
    this.#screen = screen;
    this.#link = link;
    this.#pacer = new AckPacer(link.clock, (offset) => this.#sendAck(offset));
  }

  get state(): SessionState {
    return this.#state;
  }

  /** The session's number in data frames, while attached. */
  get handle(): number | undefined {
    return this.#handle;
  }

  /** Bytes typed that have not reached the program. */
  get unsentBytes(): number {
    return this.#outbox.pendingBytes;
  }

  /** Output that was printed while we were away and is gone for good, at the last reconnect. */
  get lostBytes(): number {
    return this.#lost;
  }

  // ── From the person ──────────────────────────────────────────────────────────────────────────────

  type(bytes: Uint8Array): void {
    for (const { offset, bytes: piece } of this.#outbox.type(bytes)) this.#sendInput(offset, piece);
  }

  resize(size: Size): void {
    this.#size = size;
    if (this.#handle !== undefined) this.#link.sendMessage({ type: 'resize', session: this.id, ...size });
  }

  // ── From the connection ──────────────────────────────────────────────────────────────────────────

  /** The agent is there, perhaps again: ask for what is missing. */
  attach(): void {
    if (this.#state.name === 'gone') return;
    this.detached();
    this.#request = this.#link.newRequest();
    this.#link.sendMessage({
      type: 'reattach_session',
      request: this.#request,
      session: this.id,
      instance: this.#link.instance,
      from: this.#cursor.next,
      exited: 'read',
      ...(this.#epoch === undefined ? {} : { epoch: this.#epoch }),
      ...this.#size,
    });
  }

  /** The way to the agent is cut; the screen stays as it is. */
  detached(): void {
    this.#handle = undefined;
    this.#replayEnd = undefined;
    this.#pacer.stop();
    if (this.#state.name === 'live') this.#enter({ name: 'attaching' });
  }

  receive(message: ServerMessage): void {
    switch (message.type) {
      case 'session_reattached':
        if (message.request === this.#request)
          this.#reattached(message.session, message.handle, message.inputOffset);
        return;
      case 'scrollback':
        this.#replayBegins(message);
        return;
      case 'session_exited':
        this.#exit = message;
        this.#settle();
        return;
      case 'session_closed':
        this.#enter({ name: 'gone', code: 'session_missing', why: 'This session was closed.' });
        return;
      case 'error':
        if (message.request === this.#request) this.#refused(message);
        return;
      default:
        return;
    }
  }

  receiveFrame(frame: Frame): void {
    if (frame.kind === 'ack') {
      this.#outbox.acknowledge(frame.offset);
      this.#link.stateChanged(this);
    } else if (frame.kind === 'resize') {
      this.#screen.resize(decodeSize(frame.payload));
    } else if (frame.kind === 'output') {
      this.#output(frame.offset, frame.payload);
    }
  }

  // ── Inside ───────────────────────────────────────────────────────────────────────────────────────

  /** An agent that is away answers nothing about the session; its return asks again. */
  #refused({ code, message }: ServerMessageOf<'error'>): void {
    if (code !== 'agent_offline') this.#enter({ name: 'gone', code, why: message });
  }

  #reattached(info: SessionInfo, handle: number, inputOffset: number): void {
    // Another life of the agent: what was typed for the old one must not run in the new one. [IN4]
    if (this.#epoch !== undefined && this.#epoch !== info.epoch) this.#outbox.discard();
    this.#epoch = info.epoch;
    this.#handle = handle;
    for (const { offset, bytes } of this.#outbox.resume(inputOffset)) this.#sendInput(offset, bytes);
  }

  #replayBegins({ from, to, lost, cols, rows }: ServerMessageOf<'scrollback'>): void {
    this.#lost = lost;
    if (from !== this.#cursor.next) {
      this.#screen.reset();
      this.#cursor.jump(from);
    }
    // Another client may have chosen the size, or ours was set before we were subscribed to hear of it.
    this.#screen.resize({ cols, rows });
    this.#pacer.restart(from);
    this.#replayEnd = to;
    this.#settle();
  }

  #output(offset: number, payload: Uint8Array<ArrayBuffer>): void {
    const judgement = this.#cursor.accept(offset, payload);
    if (judgement.kind === 'hole') return this.attach();
    if (judgement.kind === 'known') return;
    const end = this.#cursor.next;
    this.#screen.write(judgement.bytes, () => {
      if (this.#handle !== undefined) this.#pacer.shown(end);
    });
    this.#settle();
  }

  /** Live once the replay is in; exited once the last byte is. */
  #settle(): void {
    if (this.#replayEnd === undefined || this.#cursor.next < this.#replayEnd) return;
    const exit = this.#exit;
    if (exit !== undefined && this.#cursor.next >= exit.offset) {
      this.#enter({ name: 'exited', exitCode: exit.exitCode, signal: exit.signal });
    } else if (this.#state.name === 'attaching') {
      this.#enter({ name: 'live' });
    }
  }

  #sendInput(offset: number, bytes: Uint8Array): void {
    if (this.#handle === undefined) return;
    this.#link.sendFrame(encodeFrame({ kind: 'input', channel: 0, handle: this.#handle, offset }, bytes));
  }

  #sendAck(offset: number): void {
    if (this.#handle === undefined) return;
    this.#link.sendFrame(encodeFrame({ kind: 'ack', channel: 0, handle: this.#handle, offset }));
  }

  #enter(next: SessionState): void {
    this.#state = next;
    this.#link.stateChanged(this);
  }
}

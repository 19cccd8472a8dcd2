/**
 * Converts a session's output to stream events. What AttachedSession would show becomes `snapshot`, `data`, `resize`
 * and `exit` events, each with the offset at its end. This file does no I/O; stream.ts sends the events to the caller.
 *
 * Bytes wait here until the response takes them, and are acknowledged only then. A reader that stops reading therefore
 * stops the acknowledgements, and the agent stops sending. At most one screen and one window of output wait here.
 */

import type { Beginning, Screen } from '../../client/screen.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { Size } from '../../protocol/frame.ts';
import { joinBytes } from '../../protocol/join-bytes.ts';
import { FOLLOW_QUEUE_MAX_BYTES } from '../../protocol/limits.ts';
import { CharacterJoiner } from '../../protocol/utf8.ts';
import { base64 } from './answer/base64.ts';

export interface StreamEvent {
  readonly name: 'snapshot' | 'data' | 'resize' | 'exit' | 'error';
  readonly data: Readonly<Record<string, unknown>>;
  /** The `data` of a screen. It may be long, so it is written in pieces and never becomes one string. */
  readonly screen?: Uint8Array<ArrayBuffer>;
  /** The client has received all output below this offset once it has this event. */
  readonly offset: number;
  /** The agent's epoch to which `offset` belongs. */
  readonly epoch: string;
}

/** Whether a stream ends after this event. */
export const isLast = ({ name }: StreamEvent): boolean => name === 'exit' || name === 'error';

export type Encoding = 'utf8' | 'base64';

/** Waiting output is grouped into events of about this size, which keeps the overhead low and the delay short. */
const EVENT_BYTES = 64 * 1024;

/** Less output than this waits a moment for more. */
const EVENT_MIN_BYTES = 16 * 1024;

interface Output {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly shown: () => void;
  /** The epoch when the output arrived. The agent may have restarted before the output is sent as an event. */
  readonly epoch: string;
}

interface Told {
  readonly event: () => StreamEvent;
  readonly shown: () => void;
}

type Waiting = Output | Told;

export class OutputEvents implements Screen {
  readonly #encoding: Encoding;
  readonly #epoch: () => string;
  readonly #characters = new CharacterJoiner();
  readonly #waiting: Waiting[] = [];
  #size: Size | undefined;
  /** A snapshot about to be written, or an empty one whose size is about to be sent. */
  #beginning: Beginning | undefined;
  /** Offset of the first byte that no event has carried. */
  #offset: number;
  #held = 0;
  #waitingBytes = 0;
  #notify: () => void = () => {};

  /** `epoch` returns the agent's epoch in which the current output was printed. */
  constructor(encoding: Encoding, from: number, epoch: () => string) {
    this.#encoding = encoding;
    this.#epoch = epoch;
    this.#offset = from;
  }

  // ── From the session ─────────────────────────────────────────────────────────────────────────────

  reset(beginning: Beginning = { kind: 'delta', offset: 0, lost: 0 }): void {
    this.#beginning = beginning;
  }

  resize(size: Size): void {
    const changed = this.#size !== undefined && !isSame(this.#size, size);
    this.#size = size;
    if (this.#beginning === undefined) {
      if (changed) this.#queue('resize', { ...size });
    } else if (this.#beginning.kind === 'delta') {
      this.#begin(this.#beginning, new Uint8Array(0));
    }
  }

  write(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void {
    if (this.#beginning !== undefined) return this.#begin(this.#beginning, bytes, shown);
    this.#waitingBytes += bytes.length;
    // An agent sends at most one window ahead of acknowledgements. [OU9]
    if (this.#waitingBytes > FOLLOW_QUEUE_MAX_BYTES)
      throw new ProtocolError(`over ${FOLLOW_QUEUE_MAX_BYTES} bytes that were not asked for`);
    this.#push({ bytes, shown, epoch: this.#epoch() });
  }

  exited(exitCode: number | null, signal: string | null): void {
    const epoch = this.#epoch();
    this.#push({ event: () => this.#rest(epoch), shown() {} });
    this.#queue('exit', { code: exitCode, signal });
  }

  failed(code: string, message: string): void {
    this.#queue('error', { code, message });
  }

  // ── To the response ──────────────────────────────────────────────────────────────────────────────

  /** The next event, and a callback for when the reader has taken it. Undefined while there is none. */
  take(): { readonly event: StreamEvent; readonly taken: () => void } | undefined {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      if ('event' in next) {
        const event = next.event();
        if (event.name !== 'data' || event.data.data !== '') return { event, taken: next.shown };
        continue;
      }
      const { bytes, shown, epoch } = this.#gather(next);
      this.#waitingBytes -= bytes.length;
      const data = this.#encode(bytes);
      if (data !== '')
        return { event: { name: 'data', data: { data }, offset: this.#offset, epoch }, taken: shown };
      shown(); // only the beginning of a character, so there is nothing to send yet
    }
    return undefined;
  }

  /** Whether enough output waits for a full event, or an event other than output waits. */
  get hasMuch(): boolean {
    const isOther = this.#waiting.some((next) => 'event' in next);
    return isOther || this.#waitingBytes >= EVENT_MIN_BYTES;
  }

  /** Calls `notify` once, when there may be something to take. */
  onMore(notify: () => void): void {
    this.#notify = notify;
    if (this.#waiting.length > 0) notify();
  }

  #begin({ offset, lost }: Beginning, bytes: Uint8Array<ArrayBuffer>, shown = () => {}): void {
    this.#beginning = undefined;
    const size = this.#size ?? { cols: 80, rows: 24 };
    const epoch = this.#epoch();
    const event = (): StreamEvent => {
      this.#characters.reset();
      this.#held = 0;
      this.#offset = offset;
      return { name: 'snapshot', data: { ...size, offset, lost }, screen: bytes, offset, epoch };
    };
    this.#push({ event, shown });
  }

  #queue(name: StreamEvent['name'], data: StreamEvent['data']): void {
    const epoch = this.#epoch();
    this.#push({ event: () => ({ name, data, offset: this.#offset, epoch }), shown() {} });
  }

  #push(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#notify();
  }

  /** Joins waiting output, up to the size of one event. */
  #gather(first: Output): Output {
    const pieces = [first];
    let length = first.bytes.length;
    for (let next = this.#waiting[0]; next !== undefined && 'bytes' in next; next = this.#waiting[0]) {
      length += next.bytes.length;
      if (length > EVENT_BYTES || next.epoch !== first.epoch) break;
      pieces.push(next);
      this.#waiting.shift();
    }
    if (pieces.length === 1) return first;
    const shown = () => pieces.forEach((piece) => void piece.shown());
    return { bytes: joinBytes(pieces.map(({ bytes }) => bytes)), shown, epoch: first.epoch };
  }

  /** Encodes bytes for an event and advances the offset. Text is cut only between characters. */
  #encode(bytes: Uint8Array<ArrayBuffer>): string {
    if (this.#encoding === 'base64') {
      this.#offset += bytes.length;
      return base64(bytes);
    }
    const whole = this.#characters.take(bytes);
    this.#offset += whole.length;
    this.#held += bytes.length - whole.length;
    return decode(whole);
  }

  /** At the end of the stream: an incomplete character becomes U+FFFD. */
  #rest(epoch: string): StreamEvent {
    const data = this.#held > 0 ? '\ufffd' : '';
    this.#offset += this.#held;
    this.#held = 0;
    return { name: 'data', data: { data }, offset: this.#offset, epoch };
  }
}

function isSame(a: Size, b: Size): boolean {
  return a.cols === b.cols && a.rows === b.rows;
}

/** Invalid UTF-8 becomes U+FFFD. A byte order mark is kept as ordinary output. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true, fatal: false }).decode(bytes);
}

/**
 * A session's output as events of a stream: what AttachedSession shows becomes `snapshot`, `data`, `resize` and
 * `exit`, each with the offset behind it. Pure; stream.ts carries them to the caller.
 *
 * Bytes wait here until the response takes them, and are acknowledged only then. So a reader that stops reading
 * owes the agent an acknowledgement, gets no more, and what waits is at most a screen and a window of output.
 */

import type { Beginning, Screen } from '../../client/screen.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { Size } from '../../protocol/frame.ts';
import { FOLLOW_QUEUE_MAX_BYTES } from '../../protocol/limits.ts';
import { CharacterJoiner } from '../../protocol/utf8.ts';
import { joinBytes } from '../platform/join-bytes.ts';
import { base64 } from './answer/base64.ts';

export interface StreamEvent {
  readonly name: 'snapshot' | 'data' | 'resize' | 'exit' | 'error';
  readonly data: Readonly<Record<string, unknown>>;
  /** The `data` of a screen, which may be long: written piece by piece, and never one string. */
  readonly screen?: Uint8Array<ArrayBuffer>;
  /** Everything below this has been told with this event … */
  readonly offset: number;
  /** … in this life of the agent. */
  readonly epoch: string;
}

/** What a stream may be at the end of. */
export const isLast = ({ name }: StreamEvent): boolean => name === 'exit' || name === 'error';

export type Encoding = 'utf8' | 'base64';

/** Output that waits is told in events of about this size: less overhead, and still a prompt line or two. */
const EVENT_BYTES = 64 * 1024;

/** Less than this waits for more, for a moment. */
const EVENT_MIN_BYTES = 16 * 1024;

interface Output {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly shown: () => void;
  /** Of when it came: the agent may have begun another life before it is told. */
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
  /** A snapshot that is about to be written, or an empty one whose size is about to be told. */
  #beginning: Beginning | undefined;
  /** Offset of the first byte that no event has told. */
  #offset: number;
  #held = 0;
  #waitingBytes = 0;
  #notify: () => void = () => {};

  /** `epoch` says in which life of the agent what comes now was printed. */
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
    // An agent sends no more than a window ahead of acknowledgements. [OU9]
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

  /** The next event, and what to call once it was taken; undefined while there is none. */
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
      shown(); // the beginning of a character, which says nothing yet
    }
    return undefined;
  }

  /** Whether there is enough for an event of its own, or something else than output. */
  get hasMuch(): boolean {
    const isOther = this.#waiting.some((next) => 'event' in next);
    return isOther || this.#waitingBytes >= EVENT_MIN_BYTES;
  }

  /** Calls back once, when there may be something to take. */
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

  /** What waits, up to the size of an event. */
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

  /** As it is told, with the offset moved to behind it; text ends where a character does. */
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

  /** A character that never got its other half, at the end of everything. */
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

/** What is not UTF-8 becomes U+FFFD; a byte order mark is output like any other. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true, fatal: false }).decode(bytes);
}

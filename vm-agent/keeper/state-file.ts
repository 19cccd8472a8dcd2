/**
 * The state of a keeper as bytes, for the keeper that replaces it. They are frames as in wire.ts. A control frame says
 * what follows:
 *
 *   keeper  the version of this format, the epoch, and how many programs follow
 *   program one program, with the numbers of frames that follow for it: output, waiting input, blobs
 *   end     everything was written
 *
 * Of waiting input, the offset says how much was written at once. A keeper reads its own version and the one before.
 */

import { HISTORY_MAX_BYTES, RETAINED_MAX_BYTES, SAVED_PROGRAMS_MAX, STATE_MAX_BYTES } from './limits.ts';
import type { SavedInput, SavedKeeper, SavedProgram } from './saved-state.ts';
import {
  encodeHeader,
  FrameReader,
  KEEPER_HEADER_BYTES,
  type KeeperFrame,
  type KeeperHeader,
  named,
  readNamed,
} from './wire.ts';

/** Counts changes that an older keeper cannot read. Fields may be added without one. */
export const STATE_VERSION = 1;

/** What was read is not the whole state of a keeper, or not one that this keeper can read. */
export class StateError extends Error {}

type Begun = Omit<SavedProgram, 'output' | 'input' | 'blobs'> & {
  readonly start: number;
  readonly outputs: number;
  readonly inputs: number;
  readonly blobs: number;
};

type Control =
  | { readonly type: 'keeper'; readonly version: number; readonly epoch: string; readonly programs: number }
  | ({ readonly type: 'program' } & Begun)
  | { readonly type: 'end' };

/** Throws a StateError if there is too much. */
export function* encodeState({ epoch, programs }: SavedKeeper): Generator<Buffer> {
  let left = STATE_MAX_BYTES;
  for (const frame of framesOf({ epoch, programs })) {
    left -= frame.length;
    if (left < 0) throw new StateError(`its programs keep more than ${STATE_MAX_BYTES} bytes`);
    yield frame;
  }
}

function* framesOf({ epoch, programs }: SavedKeeper): Generator<Buffer> {
  yield control({ type: 'keeper', version: STATE_VERSION, epoch, programs: programs.length });
  for (const { output, input, blobs, ...program } of programs) {
    const { start, pieces } = output;
    const counts = { start, outputs: pieces.length, inputs: input.length, blobs: blobs.length };
    yield control({ type: 'program', ...program, ...counts });
    for (const piece of pieces) yield frame({ kind: 'output' }, piece);
    for (const { bytes, of } of input)
      yield of === null
        ? frame({ kind: 'answer' }, bytes)
        : frame({ kind: 'input', offset: of.count }, named(of.instance, bytes));
    for (const [name, bytes] of blobs) yield frame({ kind: 'blob' }, named(name, bytes));
  }
  yield control({ type: 'end' });
}

function control(message: Control): Buffer {
  return frame({ kind: 'control' }, Buffer.from(JSON.stringify(message)));
}

function frame(header: KeeperHeader, payload: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(KEEPER_HEADER_BYTES + payload.length);
  encodeHeader(header, payload.length, bytes, 0);
  bytes.set(payload, KEEPER_HEADER_BYTES);
  return bytes;
}

interface Reading {
  readonly begun: Begun;
  readonly pieces: Uint8Array[];
  readonly input: SavedInput[];
  readonly blobs: [string, Uint8Array][];
  outputBytes: number;
}

/** Reads a state from pieces of any size. Everything it returns is a copy. */
export class StateReader {
  readonly #frames = new FrameReader();
  readonly #programs: SavedProgram[] = [];
  #keeper: Extract<Control, { type: 'keeper' }> | undefined;
  #reading: Reading | undefined;
  #hasEnded = false;

  read(piece: Buffer): void {
    for (const next of this.#frames.read(piece)) {
      if (this.#hasEnded) throw new StateError('something follows its end');
      if (next.kind === 'control') this.#control(JSON.parse(next.payload.toString()));
      else this.#part(next);
    }
  }

  /** All pieces were read. */
  finish(): SavedKeeper {
    if (this.#keeper === undefined || !this.#hasEnded) throw new StateError('its end is missing');
    return { epoch: this.#keeper.epoch, programs: this.#programs };
  }

  #control(message: Control): void {
    if (message.type === 'keeper') return this.#begin(message);
    if (this.#keeper === undefined) throw new StateError('its beginning is missing');
    this.#endProgram();
    if (message.type === 'program') {
      this.#reading = { begun: checked(message), pieces: [], input: [], blobs: [], outputBytes: 0 };
    } else if (message.type === 'end') {
      if (this.#programs.length !== this.#keeper.programs) throw new StateError('programs are missing');
      this.#hasEnded = true;
    }
  }

  #begin(message: Extract<Control, { type: 'keeper' }>): void {
    const { version, epoch, programs } = message;
    if (version !== STATE_VERSION)
      throw new StateError(`it has version ${version}, and this keeper reads version ${STATE_VERSION}`);
    if (this.#keeper !== undefined || typeof epoch !== 'string') throw new StateError('it begins twice');
    if (!isCount(programs, SAVED_PROGRAMS_MAX)) throw new StateError(`it has ${programs} programs`);
    this.#keeper = message;
  }

  #part({ kind, offset, payload }: KeeperFrame): void {
    const reading = this.#reading;
    if (reading === undefined) throw new StateError('it has parts of no program');
    if (kind === 'output') {
      reading.outputBytes += payload.length;
      if (reading.outputBytes > RETAINED_MAX_BYTES) throw new StateError('a program keeps too much output');
      reading.pieces.push(new Uint8Array(payload));
    } else if (kind === 'answer') reading.input.push({ bytes: new Uint8Array(payload), of: null });
    else {
      const { name, bytes } = readNamed(payload);
      const copy = new Uint8Array(bytes);
      if (kind === 'input') reading.input.push({ bytes: copy, of: { instance: name, count: offset } });
      else reading.blobs.push([name, copy]);
    }
  }

  #endProgram(): void {
    if (this.#reading === undefined) return;
    const { begun, pieces, input, blobs } = this.#reading;
    const { start, outputs, inputs, blobs: blobCount, ...program } = begun;
    if (pieces.length !== outputs || input.length !== inputs || blobs.length !== blobCount)
      throw new StateError(`parts of program ${begun.pty.pid} are missing`);
    this.#programs.push({ ...program, output: { start, pieces }, input, blobs });
    this.#reading = undefined;
  }
}

function checked({ type: _, ...begun }: Extract<Control, { type: 'program' }>): Begun {
  const { handle, start, retain, historyBytes, pty } = begun;
  const isWhole =
    isCount(handle, 2 ** 32 - 1) &&
    isCount(start) &&
    isCount(retain) &&
    isCount(historyBytes, HISTORY_MAX_BYTES) &&
    isCount(pty.pid) &&
    (pty.terminal === null || isCount(pty.terminal.fd));
  if (!isWhole) throw new StateError('a number of a program is not possible');
  return begun;
}

function isCount(value: unknown, max = Number.MAX_SAFE_INTEGER): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= max;
}

/** The state of a keeper as bytes, and what is refused of it. */
import { describe, expect, it } from 'vitest';
import {
  HISTORY_MAX_BYTES,
  RETAINED_MAX_BYTES,
  SAVED_PROGRAMS_MAX,
  STATE_MAX_BYTES,
} from '../../../vm-agent/keeper/limits.ts';
import type { SavedKeeper, SavedProgram } from '../../../vm-agent/keeper/saved-state.ts';
import { encodeState, STATE_VERSION, StateError, StateReader } from '../../../vm-agent/keeper/state-file.ts';
import type { Kind } from '../../../vm-agent/keeper/wire.ts';
import { frameBytes } from './frame-bytes.ts';
import { passedOn, SPEC } from './scripted-agent.ts';

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text));

const PROGRAM: SavedProgram = {
  handle: 1,
  id: 'session',
  spec: SPEC,
  historyBytes: 100,
  isForgotten: false,
  pty: { pid: 7, bornAt: '123', terminal: { fd: 21, path: '/dev/pts/4' }, ended: null },
  input: [
    { bytes: bytesOf('cd'), of: { instance: 'x', count: 4 } },
    { bytes: bytesOf('\x1b[0n'), of: null },
    { bytes: bytesOf(''), of: { instance: 'y', count: 0 } },
  ],
  exit: null,
  output: { start: 2 ** 40, pieces: [bytesOf('one'), bytesOf('two')] },
  isAll: false,
  retain: 2 ** 40,
  sizes: [
    { offset: 0, size: { cols: 80, rows: 24 } },
    { offset: 2 ** 40 + 1, size: { cols: 90, rows: 30 } },
  ],
  ledger: [
    { instance: 'x', accepted: 9, taken: 5 },
    { instance: 'z', accepted: 0, taken: 0, once: 'digest' },
  ],
  blobs: [
    ['metadata', bytesOf('{}')],
    ['empty', bytesOf('')],
  ],
};

const ENDED: SavedProgram = {
  ...PROGRAM,
  handle: 2,
  isForgotten: true,
  pty: { pid: 8, bornAt: undefined, terminal: null, ended: { code: null, signal: 'SIGTERM' } },
  input: [],
  exit: { code: 7, signal: null },
  output: { start: 5, pieces: [] },
  blobs: [],
};

const STATE: SavedKeeper = { epoch: 'epoch', programs: [PROGRAM, ENDED] };

/** Frames by hand, for what no keeper of ours writes. */
const frame = (kind: Kind, payload: Uint8Array = bytesOf('')) => frameBytes({ kind }, payload);
const control = (message: object) => frame('control', Buffer.from(JSON.stringify(message)));
const keeper = (changes: object = {}) =>
  control({ type: 'keeper', version: STATE_VERSION, epoch: 'epoch', programs: 1, ...changes });
const program = (changes: object = {}) => {
  const { output: _, input: __, blobs: ___, ...rest } = PROGRAM;
  return control({ type: 'program', ...rest, start: 0, outputs: 0, inputs: 0, blobs: 0, ...changes });
};
const end = control({ type: 'end' });

function read(...frames: Buffer[]): SavedKeeper {
  const reader = new StateReader();
  for (const bytes of frames) reader.read(bytes);
  return reader.finish();
}

describe('the state of a keeper', () => {
  it('[K4] is read as it was written, however it is cut', () => {
    expect(passedOn(STATE)).toEqual(STATE);
    const bytes = Buffer.concat([...encodeState(STATE)]);
    const reader = new StateReader();
    for (const byte of bytes) reader.read(Buffer.from([byte]));
    expect(reader.finish()).toEqual(STATE);
  });

  it('[K4] is refused if it is not whole, wherever it is cut', () => {
    const bytes = Buffer.concat([...encodeState(STATE)]);
    for (let length = 0; length < bytes.length; length++)
      expect(() => read(bytes.subarray(0, length))).toThrow(StateError);
    for (const left of [...encodeState(STATE)].keys())
      expect(() => read(...[...encodeState(STATE)].toSpliced(left, 1))).toThrow(StateError);
  });

  it('[K4] of another version is refused in a sentence', () => {
    expect(() => read(keeper({ version: STATE_VERSION + 1, programs: 0 }), end)).toThrow(
      'it has version 2, and this keeper reads version 1',
    );
    expect(read(keeper({ programs: 0, later: 'field' }), end)).toEqual({ epoch: 'epoch', programs: [] });
  });

  it.each([
    ['a program before its beginning', [program(), end]],
    ['two beginnings', [keeper(), keeper(), program(), end]],
    ['parts of no program', [keeper({ programs: 0 }), frame('output'), end]],
    ['something after its end', [keeper(), program(), end, end]],
    ['fewer programs than it says', [keeper({ programs: 2 }), program(), end]],
    ['no epoch', [keeper({ epoch: 7 }), program(), end]],
    ['a handle that no frame has', [keeper(), program({ handle: 2 ** 32 }), end]],
    ['a negative offset', [keeper(), program({ start: -1 }), end]],
    ['half an offset', [keeper(), program({ retain: 0.5 }), end]],
    [
      'a longer history than agents may ask for',
      [keeper(), program({ historyBytes: HISTORY_MAX_BYTES + 1 }), end],
    ],
    ['no pid', [keeper(), program({ pty: { terminal: null } }), end]],
    ['no descriptor', [keeper(), program({ pty: { pid: 1, terminal: { fd: 'x', path: '/' } } }), end]],
    ['too many programs', [keeper({ programs: SAVED_PROGRAMS_MAX + 1 })]],
  ])('[K4] is refused with %s', (_what, frames) => {
    expect(() => read(...frames)).toThrow(StateError);
  });

  it('[K4] has no more output of a program than is kept', () => {
    const whole = frame('output', new Uint8Array(RETAINED_MAX_BYTES / 2));
    const outputs = (...extra: Buffer[]) => [whole, whole, ...extra];
    const states = [outputs(), outputs(frame('output', new Uint8Array(1)))];
    const reads = states.map(
      (parts) => () => read(keeper(), program({ outputs: parts.length }), ...parts, end),
    );
    expect(reads[0]).not.toThrow();
    expect(reads[1]).toThrow('a program keeps too much output');
  });

  it('[K4] is not written if it is too long', () => {
    // The same bytes again and again: the limit counts what is written.
    const megabyte = new Uint8Array(1024 * 1024);
    const pieces = Array.from({ length: STATE_MAX_BYTES / megabyte.length }, () => megabyte);
    const write = (count: number) => {
      let written = 0;
      const large = { ...PROGRAM, output: { start: 0, pieces: pieces.slice(0, count) } };
      for (const bytes of encodeState({ epoch: 'epoch', programs: [large] })) written += bytes.length;
      return written;
    };
    expect(write(pieces.length - 1)).toBeLessThan(STATE_MAX_BYTES);
    expect(() => write(pieces.length)).toThrow(StateError);
  });
});

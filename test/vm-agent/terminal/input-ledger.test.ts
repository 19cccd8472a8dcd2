/**
 * Exactly-once input: which part of a resent frame is new, what the program has taken, and which instances the ledger
 * forgets.
 */
import { describe, expect, it } from 'vitest';
import {
  INPUT_INSTANCE_KEPT_MS,
  INPUT_INSTANCES_MAX,
  INPUT_PROMISE_KEPT_MS,
  INPUT_PROMISES_MAX,
} from '../../../protocol/limits.ts';
import { InputLedger } from '../../../vm-agent/terminal/input-ledger.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (fresh: Uint8Array | string) =>
  typeof fresh === 'string' ? fresh : new TextDecoder().decode(fresh);

describe('the ledger of input', () => {
  it.each([
    { what: 'the next bytes', offset: 5, typed: 'xyz', fresh: 'xyz' },
    { what: 'bytes that it has', offset: 0, typed: 'hello', fresh: '' },
    { what: 'some bytes that it has', offset: 1, typed: 'el', fresh: '' },
    { what: 'an overlap', offset: 3, typed: 'lo world', fresh: ' world' },
    { what: 'bytes after a gap', offset: 6, typed: 'x', fresh: 'hole' },
    { what: 'nothing', offset: 5, typed: '', fresh: '' },
  ])('[IN2] accepts of $what: $fresh', ({ offset, typed, fresh }) => {
    const ledger = new InputLedger(new FakeClock());
    expect(text(ledger.accept('i', 0, bytes('hello')))).toBe('hello');
    expect(text(ledger.accept('i', offset, bytes(typed)))).toBe(fresh);
    // Whatever came, the stream continues where it was.
    const end = 5 + (fresh === 'hole' ? 0 : fresh.length);
    expect(text(ledger.accept('i', end, bytes('!')))).toBe('!');
  });

  it('[IN3] reports what was taken, not what was accepted, and counts each instance separately', () => {
    const ledger = new InputLedger(new FakeClock());
    ledger.accept('a', 0, bytes('hello'));
    ledger.accept('b', 0, bytes('hey'));
    expect([ledger.taken('a'), ledger.taken('b'), ledger.taken('stranger')]).toEqual([0, 0, undefined]);
    expect(ledger.take('a', 2)).toBe(2);
    expect(ledger.take('a', 3)).toBe(5);
    expect(ledger.take('b', 3)).toBe(3);
    expect([ledger.taken('a'), ledger.taken('b')]).toEqual([5, 3]);
  });

  it('[IN4] lets a forgotten instance continue at the offset it reports, and no other', () => {
    const ledger = new InputLedger(new FakeClock());
    ledger.meet('old', 100);
    expect(ledger.taken('old')).toBe(100);
    expect(text(ledger.accept('old', 98, bytes('abcd')))).toBe('cd');
    ledger.meet('old', 500);
    expect(ledger.taken('old')).toBe(100);
    expect(text(ledger.accept('old', 500, bytes('x')))).toBe('hole');
  });

  it('[IN4] takes nothing beyond the last offset that a frame can name', () => {
    const ledger = new InputLedger(new FakeClock());
    const last = Number.MAX_SAFE_INTEGER;
    ledger.meet('liar', last - 1);
    expect(text(ledger.accept('liar', last - 1, bytes('a')))).toBe('a');
    expect(text(ledger.accept('liar', last, bytes('b')))).toBe('full');
    expect(ledger.take('liar', 1)).toBe(last);
  });

  it('[IN8] holds an instance to its promise', () => {
    const ledger = new InputLedger(new FakeClock());
    expect(ledger.promise('i', 'digest')).toBe('kept');
    expect(ledger.promise('i', 'digest')).toBe('kept');
    expect(ledger.promise('i', 'another')).toBe('broken');
    expect(ledger.promise('j', 'another')).toBe('kept');
  });

  it('[IN8] continues counting for an instance that typed before it promised', () => {
    const ledger = new InputLedger(new FakeClock());
    ledger.accept('i', 0, bytes('abc'));
    ledger.take('i', 2);
    expect(ledger.promise('i', 'digest')).toBe('kept');
    expect([ledger.taken('i'), ledger.size]).toEqual([2, 1]);
    expect(text(ledger.accept('i', 0, bytes('abcd')))).toBe('d');
  });

  it('[IN9] remembers no instance that only attaches', () => {
    const ledger = new InputLedger(new FakeClock());
    for (let i = 0; i < 5_000; i++) ledger.meet(`i${i}`, 0);
    expect(ledger.size).toBe(0);
  });

  describe('when full', () => {
    /** Of promises, or of others. */
    const filled = (kind: 'promises' | 'others') => {
      const clock = new FakeClock();
      const ledger = new InputLedger(clock);
      const type = (name: string) => text(ledger.accept(name, 0, bytes('x')));
      const max = kind === 'promises' ? INPUT_PROMISES_MAX : INPUT_INSTANCES_MAX;
      for (let i = 0; i < max; i++) {
        if (kind === 'promises') ledger.promise(`i${i}`, 'digest');
        type(`i${i}`);
        ledger.take(`i${i}`, 1);
      }
      return { clock, ledger, max, type };
    };

    it('[IN9] [X5] of promises refuses the next one for an hour, and forgets none', () => {
      const { clock, ledger, max, type } = filled('promises');
      clock.advance(INPUT_PROMISE_KEPT_MS - 1);
      expect(ledger.promise('new', 'digest')).toBe('full');
      expect(type('i0'), 'typed before').toBe('');
      clock.advance(1);
      expect(ledger.promise('new', 'digest')).toBe('kept');
      expect(ledger.size).toBe(max);
      expect([ledger.taken('i0'), ledger.taken('i1')], 'the one that was not used for longest').toEqual([
        1,
        undefined,
      ]);
    });

    it('[IN9] [X5] of other instances refuses new ones for a minute, and forgets no promise for them', () => {
      const { clock, ledger, max, type } = filled('others');
      ledger.promise('promising', 'digest');
      type('promising');
      expect(type('new')).toBe('full');
      ledger.meet('returning', 7);
      expect(ledger.taken('returning')).toBe(undefined);
      clock.advance(INPUT_INSTANCE_KEPT_MS);
      for (let i = 0; i < max; i++) expect(type(`new${i}`)).toBe('x');
      expect(type('promising')).toBe('');
      expect(ledger.promise('promising', 'another')).toBe('broken');
      expect(ledger.size).toBe(max + 1);
    });

    it('[IN4] lets a forgotten instance continue at the offset it reports', () => {
      const { clock, ledger, type } = filled('others');
      clock.advance(INPUT_INSTANCE_KEPT_MS);
      type('new');
      expect(text(ledger.accept('i0', 1, bytes('y')))).toBe('hole');
      expect(ledger.take('i0', 1), 'nobody is told a wrong offset').toBe(null);
      ledger.meet('i0', 1);
      expect(text(ledger.accept('i0', 1, bytes('y')))).toBe('y');
    });
  });
});

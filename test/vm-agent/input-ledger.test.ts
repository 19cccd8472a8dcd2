/** Exactly once: what of a resent frame is new, what the program has taken, and whom the ledger forgets. */
import { describe, expect, it } from 'vitest';
import { InputLedger } from '../../vm-agent/input-ledger.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (fresh: Uint8Array | null) => (fresh === null ? null : new TextDecoder().decode(fresh));

describe('the ledger of input', () => {
  it.each([
    { what: 'the next bytes', offset: 5, typed: 'xyz', fresh: 'xyz' },
    { what: 'what it has', offset: 0, typed: 'hello', fresh: '' },
    { what: 'a part of what it has', offset: 1, typed: 'el', fresh: '' },
    { what: 'an overlap', offset: 3, typed: 'lo world', fresh: ' world' },
    { what: 'something beyond a hole', offset: 6, typed: 'x', fresh: null },
    { what: 'nothing', offset: 5, typed: '', fresh: '' },
  ])('[IN2] takes of $what: $fresh', ({ offset, typed, fresh }) => {
    const ledger = new InputLedger();
    expect(text(ledger.accept('i', 0, bytes('hello')))).toBe('hello');
    expect(text(ledger.accept('i', offset, bytes(typed)))).toBe(fresh);
    // Whatever came, the stream goes on where it was.
    const end = 5 + (fresh ?? '').length;
    expect(text(ledger.accept('i', end, bytes('!')))).toBe('!');
  });

  it('[IN3] says what was taken, not what was accepted, and counts each instance for itself', () => {
    const ledger = new InputLedger();
    ledger.accept('a', 0, bytes('hello'));
    ledger.accept('b', 0, bytes('hey'));
    expect([ledger.taken('a'), ledger.taken('b'), ledger.taken('stranger')]).toEqual([0, 0, 0]);
    expect(ledger.take('a', 2)).toBe(2);
    expect(ledger.take('a', 3)).toBe(5);
    expect(ledger.take('b', 3)).toBe(3);
    expect([ledger.taken('a'), ledger.taken('b')]).toEqual([5, 3]);
  });

  it('[IN4] lets somebody it has forgotten go on where they say they were, and nobody else', () => {
    const ledger = new InputLedger();
    ledger.meet('old', 100);
    expect(ledger.taken('old')).toBe(100);
    expect(text(ledger.accept('old', 98, bytes('abcd')))).toBe('cd');
    ledger.meet('old', 500);
    expect(ledger.taken('old')).toBe(100);
    expect(text(ledger.accept('old', 500, bytes('x')))).toBe(null);
  });

  it('[IN8] holds an instance to what it has promised', () => {
    const ledger = new InputLedger();
    expect(ledger.promise('i', 'digest')).toBe(true);
    expect(ledger.promise('i', 'digest')).toBe(true);
    expect(ledger.promise('i', 'another')).toBe(false);
    expect(ledger.promise('j', 'another')).toBe(true);
  });

  it('forgets who was not heard of for longest, at the thousand-and-first', () => {
    const ledger = new InputLedger();
    for (let i = 0; i < 1_000; i++) ledger.accept(`i${i}`, 0, bytes('x'));
    ledger.take('i0', 1); // heard of again
    expect(text(ledger.accept('i1', 0, bytes('x')))).toBe(''); // and this one, too
    ledger.accept('new', 0, bytes('x'));
    expect(text(ledger.accept('i2', 1, bytes('y')))).toBe(null);
    expect(ledger.taken('i0')).toBe(1);
    expect(text(ledger.accept('i1', 1, bytes('y')))).toBe('y');
  });

  it('forgets for a newcomer that says where it was, too', () => {
    const ledger = new InputLedger();
    for (let i = 0; i < 1_000; i++) ledger.meet(`i${i}`, 7);
    ledger.meet('new', 7);
    expect([ledger.taken('i0'), ledger.taken('i1'), ledger.taken('new')]).toEqual([0, 7, 7]);
  });
});

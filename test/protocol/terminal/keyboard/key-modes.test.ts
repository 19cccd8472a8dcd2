/** What programs ask of the keyboard: both screens, everything they may save, and resets. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KEY_FLAGS_MAX_SETS } from '../../../../protocol/limits.ts';
import {
  applyKeySequence,
  KeyModes,
  writtenFlags,
} from '../../../../protocol/terminal/keyboard/key-modes.ts';
import { checkProperty } from '../../../support/property.ts';

/** Modes of a terminal that can switch between its screens. */
function modesOf() {
  const shown = { isAlternate: false };
  const modes = new KeyModes(() => shown.isAlternate);
  /** Reads `=1;2u` and the like. */
  const take = (text: string) => {
    const [, prefix = '', parameters = '', final = ''] = /^([<=>?])([\d;]*)(.)$/.exec(text) ?? [];
    return applyKeySequence(modes, { prefix, final, parameters: parameters.split(';').map(Number) });
  };
  return { shown, modes, take };
}

describe('[T2] flags of the keyboard', () => {
  it.each([
    ['are 0 at first', [], 0],
    ['are set', ['=5u'], 5],
    ['are set by mode 1', ['=5u', '=2;1u'], 2],
    ['are added by mode 2', ['=5u', '=2;2u'], 7],
    ['are removed by mode 3', ['=7u', '=2;3u'], 5],
    ['stay with any other mode', ['=7u', '=2;4u'], 7],
    ['are only those that there are', ['=255u'], 31],
    ['are pushed', ['=1u', '>3u'], 3],
    ['are 0 if none are pushed', ['=1u', '>u'], 0],
    ['are popped', ['=1u', '>3u', '<u'], 1],
    ['are popped several at once', ['=1u', '>3u', '>5u', '<2u'], 1],
    ['are reset if too many are popped', ['=1u', '>3u', '<9u'], 0],
    ['can be pushed after that', ['<9u', '>3u', '<u'], 0],
    ['that are set belong to the last push', ['=1u', '>3u', '=4;2u', '<u'], 1],
  ])('%s', (_, sequences, flags) => {
    const { modes, take } = modesOf();
    for (const sequence of sequences) expect(take(sequence)).toBe(true);
    expect(modes.flags).toBe(flags);
  });

  it('of the two screens are independent', () => {
    const { shown, modes, take } = modesOf();
    take('>1u');
    shown.isAlternate = true;
    expect(modes.flags).toBe(0);
    take('>31u');
    shown.isAlternate = false;
    expect(modes.flags).toBe(1);
    take('<u');
    shown.isAlternate = true;
    expect(modes.flags).toBe(31);
    modes.reset();
    expect(modes.state).toEqual({ normal: [0], alternate: [0], otherKeys: 0 });
  });

  it('that were saved first are forgotten first', () => {
    const { modes, take } = modesOf();
    for (let flags = 1; flags <= KEY_FLAGS_MAX_SETS + 3; flags++) take(`>${flags}u`);
    expect(modes.state.normal).toEqual([4, 5, 6, 7, 8, 9, 10, 11]);
    take(`<${KEY_FLAGS_MAX_SETS - 1}u`);
    expect(modes.flags).toBe(4);
    take('<u');
    expect(modes.flags).toBe(0);
  });
});

describe('[T2] modifyOtherKeys', () => {
  it.each([
    ['is off at first', [], 0],
    ['is set', ['>4;2m'], 2],
    ['stays with a level that there is not', ['>4;1m', '>4;3m'], 1],
    ['is reset without a level', ['>4;2m', '>4m'], 0],
    ['is reset with everything', ['>4;2m', '>m'], 0],
    ['stays if another resource is set or reset', ['>4;2m', '>1;0m', '>2m', '>1n'], 2],
    ['is disabled', ['>4;2m', '>4n'], 0],
  ])('%s', (_, sequences, level) => {
    const { modes, take } = modesOf();
    for (const sequence of sequences) take(sequence);
    expect(modes.otherKeys).toBe(level);
  });

  it('is the same on both screens', () => {
    const { shown, modes, take } = modesOf();
    take('>4;1m');
    shown.isAlternate = true;
    expect(modes.otherKeys).toBe(1);
  });
});

/** As kitty keeps them: eight places, of which some are used. A push first claims the place it leaves. */
class KittyFlags {
  readonly #places: (number | undefined)[] = new Array(8).fill(undefined);

  get #last(): number {
    return Math.max(
      0,
      this.#places.findLastIndex((place) => place !== undefined),
    );
  }

  get flags(): number {
    return this.#places[this.#last] ?? 0;
  }

  set(flags: number, how: number): void {
    const now = this.flags;
    this.#places[this.#last] = how === 1 ? flags : how === 2 ? now | flags : now & ~flags;
  }

  push(flags: number): void {
    const last = this.#last;
    if (last === 7) this.#places.shift();
    else this.#places[last] ??= 0;
    this.#places[last === 7 ? 7 : last + 1] = flags;
  }

  pop(count: number): void {
    for (let left = count, at = 7; left > 0 && at >= 0; at--) {
      if (this.#places[at] === undefined) continue;
      this.#places[at] = undefined;
      left--;
    }
  }
}

describe('[T2] any sequences', () => {
  const step = fc.oneof(
    fc.record({ act: fc.constant('set' as const), flags: fc.nat(31), how: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ act: fc.constant('push' as const), flags: fc.nat(31) }),
    fc.record({ act: fc.constant('pop' as const), count: fc.integer({ min: 1, max: 10 }) }),
    fc.record({ act: fc.constant('switch' as const) }),
  );

  it('leave the same flags as in kitty, on both screens, within the limit, and can be written', () => {
    checkProperty(
      'keyboard-flags',
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { shown, modes, take } = modesOf();
        const kitty = [new KittyFlags(), new KittyFlags()] as const;
        for (const one of steps) {
          const expected = kitty[shown.isAlternate ? 1 : 0];
          if (one.act === 'switch') shown.isAlternate = !shown.isAlternate;
          else if (one.act === 'set') expected.set(one.flags, one.how);
          else if (one.act === 'push') expected.push(one.flags);
          else expected.pop(one.count);
          if (one.act === 'set') take(`=${one.flags};${one.how}u`);
          if (one.act === 'push') take(`>${one.flags}u`);
          if (one.act === 'pop') take(`<${one.count}u`);
          expect(modes.flags).toBe(kitty[shown.isAlternate ? 1 : 0].flags);
          expect(modes.state.normal.length).toBeLessThanOrEqual(KEY_FLAGS_MAX_SETS);
        }
        const copy = modesOf();
        for (const sequence of writtenFlags(modes.state.normal).split('\x1b[').slice(1)) copy.take(sequence);
        expect(copy.modes.state.normal).toEqual(modes.state.normal);
      }),
      { numRuns: 300 },
    );
  });
});

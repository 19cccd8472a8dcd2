import { describe, expect, it } from 'vitest';
import { COLOUR_FIELDS_MAX } from '../../../protocol/limits.ts';
import { boundColourLists } from '../../../protocol/terminal/colour-lists.ts';

describe('a list of colours', () => {
  const handlers = new Map<number, (payload: string) => boolean>();
  boundColourLists({ registerOscHandler: (code, handle) => handlers.set(code, handle) });

  it.each([4, 104])('[SEC8] of OSC %i is ignored if it has one field too many', (code) => {
    const fields = (count: number) => Array.from({ length: count }, (_, at) => at).join(';');
    const ignores = handlers.get(code);
    expect(ignores?.('')).toBe(false);
    expect(ignores?.(fields(COLOUR_FIELDS_MAX))).toBe(false);
    expect(ignores?.(fields(COLOUR_FIELDS_MAX + 1))).toBe(true);
  });
});

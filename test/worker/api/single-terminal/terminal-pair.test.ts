/** Which object a terminal's socket ends in, on a self-hosted relay. */
import { describe, expect, it } from 'vitest';
import { TERMINAL_INLETS_MAX } from '../../../../protocol/limits.ts';
import { inletName } from '../../../../worker/api/single-terminal/terminal-pair.ts';
import type { Owner } from '../../../../worker/peers/owner.ts';

const token = (tokenId: string): Owner => ({ role: 'operator', tokenId });

describe('the object of a token', () => {
  it('[SEC21] [RL17] has one of a few names, however many tokens there were', () => {
    const names = new Set(Array.from({ length: 1_000 }, (_, i) => inletName('w', token(`token-${i}`))));
    expect(names.size).toBe(TERMINAL_INLETS_MAX);
  });

  it('[SEC21] [RL17] is always the same, and never that of another workspace', () => {
    expect(inletName('w', token('a'))).toBe(inletName('w', token('a')));
    const theirs = Array.from({ length: 100 }, (_, i) => inletName('x', token(`token-${i}`)));
    expect(theirs).not.toContain(inletName('w', token('a')));
  });
});

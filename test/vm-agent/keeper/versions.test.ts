/** Which builds of keeper and agent work together. */
import { describe, expect, it } from 'vitest';
import { readCapabilities, versionTrouble } from '../../../vm-agent/keeper/versions.ts';

describe('the versions of keeper and agent', () => {
  it.each([
    ['agent', undefined, 1, null],
    ['agent', 1, 1, null],
    ['agent', 4, 5, null],
    ['keeper', 5, 5, null],
    ['keeper', 4, 5, null],
    [
      'agent',
      0,
      1,
      /^The agent speaks version 0 with its keeper, which speaks version 1: use a newer agent\.$/,
    ],
    ['agent', undefined, 5, /version 1 with its keeper, which speaks versions 4 and 5: use a newer agent/],
    [
      'agent',
      6,
      5,
      /speaks version 6 .*: upgrade the keeper \(holdfast agent reload --keeper\), or restart it/,
    ],
    [
      'keeper',
      3,
      5,
      /^The keeper speaks version 3 with its agent, which speaks versions 4 and 5: upgrade the keeper/,
    ],
    ['keeper', 6, 5, /use a newer agent/],
    ['keeper', Number.NaN, 1, /version NaN/],
    ['agent', 'one', 1, /version unknown/],
  ] as const)('[K4] a peer (%s) of version %s with ours, %s', (peer, version, own, trouble) => {
    const found = versionTrouble(peer, version, own);
    if (trouble === null) expect(found).toBeNull();
    else expect(found).toMatch(trouble);
  });

  it('[K4] capabilities are a bounded list of short names; a peer of the first build has none', () => {
    expect(readCapabilities(undefined)).toEqual([]);
    expect(readCapabilities('upgrade')).toEqual([]);
    expect(readCapabilities(['upgrade', 7, 'x'.repeat(64), 'x'.repeat(65)])).toEqual([
      'upgrade',
      'x'.repeat(64),
    ]);
    expect(readCapabilities(Array.from({ length: 33 }, (_, n) => `${n}`))).toHaveLength(32);
  });
});

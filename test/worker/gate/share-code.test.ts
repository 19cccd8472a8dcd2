/** The codes in share links. */
import { describe, expect, it } from 'vitest';
import { makeShareCode, verifyShareCode } from '../../../worker/gate/share-code.ts';
import { SECRET } from '../../support/test-relay.ts';

const NOW = 1_800_000_000_000;

describe('the code of a link', () => {
  it('[SL1] is short, and valid for its workspace, with this secret, until it expires', async () => {
    const keys = { secret: SECRET };
    const made = await makeShareCode('test', 60, keys, NOW);
    expect(made.code).toMatch(/^[\w-]{43}$/);
    const { code: _, ...claims } = made;
    expect(await verifyShareCode(made.code, 'test', keys, NOW)).toEqual({ ok: true, claims });
    expect(await verifyShareCode(made.code, 'test', keys, NOW + 60_000)).toMatchObject({ reason: 'expired' });
    const bad = [
      await verifyShareCode(made.code, 'other', keys, NOW),
      await verifyShareCode(made.code, 'test', { secret: `${SECRET}2` }, NOW),
      await verifyShareCode(`${made.code}A`, 'test', keys, NOW),
      await verifyShareCode('', 'test', keys, NOW),
    ];
    expect(bad.map((one) => one.ok)).toEqual([false, false, false, false]);
    for (let i = 0; i < made.code.length; i++) {
      const changed = made.code.slice(0, i) + (made.code[i] === 'A' ? 'B' : 'A') + made.code.slice(i + 1);
      expect((await verifyShareCode(changed, 'test', keys, NOW)).ok, `character ${i}`).toBe(false);
    }
  });

  it('[SL1] [GT10] still works while the secret is replaced', async () => {
    const { code } = await makeShareCode('test', 60, { secret: SECRET }, NOW);
    const replaced = { secret: `${SECRET} 2`, previousSecret: SECRET };
    expect((await verifyShareCode(code, 'test', replaced, NOW)).ok).toBe(true);
  });
});

/** Which tokens are accepted, without a relay: types, audience, issuer, times, and two secrets during a rotation. */
import { exportSPKI, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { mintToken } from '../../../cli/relay/mint-token.ts';
import { CLOCK_SKEW_MAX_S, SUB_MAX_CHARS } from '../../../protocol/limits.ts';
import {
  signChallenge,
  signPageCookie,
  signTicket,
  verifyPageCookie,
  verifyTicket,
} from '../../../worker/gate/own-credentials.ts';
import { verifyToken } from '../../../worker/gate/token.ts';

const NOW = 1_800_000_000_000;
const seconds = NOW / 1000;
const SECRET = 'the current secret, which has more than thirty-two bytes';
const OLD = 'the previous secret, which has more than thirty-two bytes too';
const keys = { secret: SECRET, publicKeys: undefined };
const claims = { ws: 'test', role: 'operator', iat: seconds, exp: seconds + 60, jti: 'some-token' } as const;

const signed = (more: object = {}, header: object = {}, secret = SECRET) =>
  new SignJWT({ ...claims, ...more })
    .setProtectedHeader({ alg: 'HS256', ...header })
    .sign(new TextEncoder().encode(secret));

const verdictOn = async (token: string, more: object = {}) => verifyToken(token, { ...keys, ...more }, NOW);
const counts = async (token: string, more: object = {}) => (await verdictOn(token, more)).ok;

describe('the type of a token', () => {
  it.each([undefined, 'JWT', 'jwt', 'at+jwt', 'AT+JWT', 'application/at+jwt'])(
    '[X16] %s is accepted',
    async (typ) => {
      expect(await counts(await signed({}, typ === undefined ? {} : { typ }))).toBe(true);
    },
  );

  it.each([
    'dpop+jwt',
    'logout+jwt',
    'secevent+jwt',
    'holdfast-ticket',
    'holdfast-page',
    'holdfast-renewal',
    'holdfast-challenge',
    'jwt+more',
    '',
  ])('[X16] %j is not: it was signed for another purpose', async (typ) => {
    expect(await counts(await signed({}, { typ }))).toBe(false);
  });
});

describe('audience and issuer', () => {
  it.each([
    [{}, {}, true],
    [{}, { aud: 'elsewhere', iss: 'somebody' }, true],
    [{ audience: ['here'] }, {}, false],
    [{ audience: ['here'] }, { aud: 'elsewhere' }, false],
    [{ audience: ['here'] }, { aud: 'here' }, true],
    [{ audience: ['here', 'there'] }, { aud: ['elsewhere', 'there'] }, true],
    [{ issuer: ['me'] }, { aud: 'here' }, false],
    [{ issuer: ['me'] }, { iss: 'you' }, false],
    [{ issuer: ['me', 'you'] }, { iss: 'you' }, true],
    [{ audience: ['here'], issuer: ['me'] }, { aud: 'here', iss: 'you' }, false],
  ])('[X16] with settings %j a token with %j is accepted: %s', async (settings, carried, expected) => {
    expect(await counts(await signed(carried), settings)).toBe(expected);
  });

  it('[X16] are required of tokens signed with a private key as well', async () => {
    const { privateKey, publicKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
    const settings = { publicKeys: await exportSPKI(publicKey), audience: ['here'] };
    const token = (aud: string) =>
      new SignJWT({ ...claims, aud }).setProtectedHeader({ alg: 'EdDSA' }).sign(privateKey);
    expect(await counts(await token('here'), settings)).toBe(true);
    expect(await counts(await token('there'), settings)).toBe(false);
  });

  it('[X16] have errors that say what is wrong', async () => {
    expect(await verdictOn(await signed(), { audience: ['here'] })).toMatchObject({
      why: expect.stringMatching(/audience \(`aud`\)/),
    });
  });

  it('[X16] are not required of credentials that the relay signed itself', async () => {
    const { cookie } = await signPageCookie(claims, keys, NOW);
    const settings = { ...keys, audience: ['here'], issuer: ['me'] };
    expect((await verifyPageCookie(cookie, settings, NOW)).ok).toBe(true);
  });
});

describe('a token', () => {
  it('[X12] [GT2] from further ahead than the allowed clock skew is refused, and the error says so', async () => {
    expect(await counts(await signed({ iat: seconds + CLOCK_SKEW_MAX_S }))).toBe(true);
    expect(await verdictOn(await signed({ iat: seconds + CLOCK_SKEW_MAX_S + 1 }))).toMatchObject({
      ok: false,
      reason: 'invalid',
      why: expect.stringMatching(/future/),
    });
  });

  it('[GT2] may name a person, up to a maximum length', async () => {
    const named = (sub: unknown) => signed({ sub });
    expect(await verdictOn(await named('ada'))).toMatchObject({ claims: { sub: 'ada' } });
    expect(await counts(await named('a'.repeat(SUB_MAX_CHARS)))).toBe(true);
    expect(await counts(await named('a'.repeat(SUB_MAX_CHARS + 1)))).toBe(false);
    expect(await counts(await named(7))).toBe(false);
  });
});

describe('two secrets', () => {
  const both = { previousSecret: OLD };
  const minted = (secret: string) =>
    mintToken({ workspace: 'test', role: 'operator', lifetimeSeconds: 60, issuedAt: seconds }, secret);

  it('[GT10] both verify, with and without the id of the secret', async () => {
    for (const token of [
      await minted(SECRET),
      await minted(OLD),
      await signed(),
      await signed({}, {}, OLD),
    ]) {
      expect(await counts(token, both)).toBe(true);
    }
    expect(await counts(await minted(OLD)), 'the previous one is gone').toBe(false);
  });

  it('[GT10] a token that names one must be signed by it; an unknown id is ignored', async () => {
    const { kid } = JSON.parse(atob((await minted(SECRET)).split('.')[0] ?? ''));
    expect(kid).toMatch(/^[0-9a-f]{12}$/);
    expect(await counts(await signed({}, { kid }, OLD), both)).toBe(false);
    expect(await counts(await signed({}, { kid: 'of-the-platform' }, OLD), both)).toBe(true);
  });

  it('[GT10] an expired token of either is reported as expired', async () => {
    for (const secret of [SECRET, OLD]) {
      const token = await signed({ exp: seconds - 1 }, {}, secret);
      expect(await verdictOn(token, both)).toMatchObject({
        reason: 'expired',
        why: 'The token has expired.',
      });
    }
  });

  it('[GT10] a previous secret that is too short is ignored, and locks out nobody else', async () => {
    expect(await counts(await signed(), { previousSecret: 'short' })).toBe(true);
    expect(await counts(await signed({}, {}, 'short'), { previousSecret: 'short' })).toBe(false);
  });

  it('[GT10] credentials signed by the previous one still verify; new ones are signed by the current', async () => {
    const old = { secret: OLD };
    const overlap = { secret: SECRET, previousSecret: OLD };
    const { cookie } = await signPageCookie(claims, old, NOW);
    expect((await verifyPageCookie(cookie, overlap, NOW)).ok).toBe(true);
    const ticket = {
      token: claims,
      role: 'viewer',
      origin: 'https://a.example',
      exp: claims.exp,
      jti: 't',
    } as const;
    expect((await verifyTicket(await signTicket(ticket, old), overlap, NOW)).ok).toBe(true);
    const fresh = await signPageCookie(claims, overlap, NOW);
    expect((await verifyPageCookie(fresh.cookie, { secret: SECRET }, NOW)).ok).toBe(true);
    expect((await verifyPageCookie(fresh.cookie, old, NOW)).ok).toBe(false);
  });
});

describe('a credential of one kind', () => {
  it('[X11] [GT11] is accepted as no other', async () => {
    const { cookie } = await signPageCookie(claims, keys, NOW);
    const ticket = await signTicket(
      { token: claims, role: 'viewer', origin: 'https://a.example', exp: claims.exp, jti: 't' },
      keys,
    );
    const token = await signed();
    const challenge = await signChallenge('test', keys, NOW);
    const kinds = { cookie, ticket, token, challenge };
    for (const [kind, text] of Object.entries(kinds)) {
      expect((await verifyToken(text, keys, NOW)).ok, `${kind} as token`).toBe(kind === 'token');
      expect((await verifyPageCookie(text, keys, NOW)).ok, `${kind} as cookie`).toBe(kind === 'cookie');
      expect((await verifyTicket(text, keys, NOW)).ok, `${kind} as ticket`).toBe(kind === 'ticket');
    }
  });
});

/** The owner's login lasts with a key that stays in the page; what a thief of a cookie gets ends within minutes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHALLENGE_LIFETIME_S, OWNER_LOGIN_MAX_S } from '../../../protocol/limits.ts';
import { renewalCredential } from '../../../protocol/page-login.ts';
import { OWNER_CHALLENGE, signChallenge, signOwnerRenewal } from '../../../worker/gate/own-credentials.ts';
import { OwnedRelay } from '../../support/owned-relay.ts';
import { PageBrowser } from '../../support/page-browser.ts';
import { SECRET } from '../../support/test-relay.ts';

const SECRETS = { secret: SECRET };
let relay: OwnedRelay;
let page: PageBrowser;
beforeAll(async () => {
  relay = await OwnedRelay.start();
  page = await PageBrowser.open(relay.relay);
});
afterAll(() => relay[Symbol.asyncDispose]());

const LOGIN = '/api/owner/login';

async function logIn() {
  const code = new URL(await relay.ownerLink()).hash.slice('#owner='.length);
  const headers = { Authorization: `Link ${code}`, Origin: relay.url.origin };
  return relay.ask('POST', LOGIN, headers, { key: (await page.publicKey()) as object });
}

const challengeOf = async () => (await relay.ask('GET', `${LOGIN}/challenge`, {})).body.challenge ?? '';

interface Given {
  readonly challenge?: string;
  readonly origin?: string;
  readonly prover?: PageBrowser;
  readonly scheme?: string;
}

async function renew(renewal: string, given: Given = {}) {
  const { origin = relay.url.origin, prover = page, scheme = 'Owner-Renewal' } = given;
  const challenge = given.challenge ?? (await challengeOf());
  const signature = await prover.prove(renewal, challenge);
  const credential = renewalCredential({ renewal, challenge, signature });
  return relay.ask('POST', LOGIN, { Authorization: `${scheme} ${credential}`, Origin: origin });
}

const cookieIn = ({ headers }: { headers: Headers }) => (headers.get('Set-Cookie') ?? '').split(';')[0] ?? '';
const statusWith = async (cookie: string) =>
  (await relay.ask('GET', '/api/owner/machines', { Cookie: cookie, Origin: relay.url.origin })).status;

/** Made by the relay itself, at some other time or for somebody else. */
const signedRenewal = async (owner: string, exp: number) =>
  signOwnerRenewal({ owner, cnf: { jwk: (await page.publicKey()) as never }, exp }, SECRETS);

describe("a login of the relay's owner with a key", () => {
  it('[J3] [FL7] is renewed with a proof of the key, again and again, and ends 12 hours after the link', async () => {
    const login = await logIn();
    const { renewal = '', expiresAt = '' } = login.body;
    expect(Math.round((Date.parse(expiresAt) - Date.now()) / 1000)).toBeCloseTo(OWNER_LOGIN_MAX_S, -1);
    const renewed = await renew(renewal);
    expect([renewed.status, renewed.body.expiresAt]).toEqual([200, expiresAt]);
    expect(await statusWith(cookieIn(renewed))).toBe(200);
    const again = await renew(renewed.body.renewal ?? '');
    expect([again.status, again.body.expiresAt]).toEqual([200, expiresAt]);
    const soon = Math.floor(Date.now() / 1000) + 60;
    const last = await renew(await signedRenewal(relay.owner.publicKey, soon));
    expect(last.headers.get('Set-Cookie')).toMatch(/; Max-Age=(?:60|59|58); /);
  });

  it('[SEC25] [FL7] is not renewed with its cookie, nor with the renewal without the key', async () => {
    const login = await logIn();
    const cookie = cookieIn(login);
    expect(await statusWith(cookie)).toBe(200);
    const headers = { Cookie: cookie, Origin: relay.url.origin };
    expect((await relay.ask('POST', LOGIN, headers)).status, 'a stolen cookie renews nothing').toBe(401);
    const { renewal = '' } = login.body;
    const from = { Origin: relay.url.origin };
    const thief = await PageBrowser.open(relay.relay);
    expect((await renew(renewal, { prover: thief })).status).toBe(401);
    for (const authorization of [`Owner-Renewal ${renewal}`, `Bearer ${renewal}`, `Link ${renewal}`])
      expect((await relay.ask('POST', LOGIN, { ...from, Authorization: authorization })).status).toBe(401);
    const name = `holdfast-${relay.url.port}.owner`;
    expect(await statusWith(`${name}=${renewal}`), 'a renewal is no cookie').toBe(401);
  });

  it('[SEC25] [FL7] takes a fresh challenge of the owner, our origin, and a renewal of this owner', async () => {
    const { renewal = '' } = (await logIn()).body;
    const late = await signChallenge(
      OWNER_CHALLENGE,
      SECRETS,
      Date.now() - (CHALLENGE_LIFETIME_S + 2) * 1000,
    );
    const ofWorkspace = await page.challenge();
    for (const challenge of [late, ofWorkspace, 'abc'])
      expect((await renew(renewal, { challenge })).status).toBe(401);
    expect((await renew(renewal, { origin: 'https://example.com' })).status).toBe(403);
    const hour = Math.floor(Date.now() / 1000) + 3600;
    expect((await renew(await signedRenewal('another owner', hour))).status).toBe(401);
    expect((await renew(await signedRenewal(relay.owner.publicKey, hour - 7200))).status).toBe(401);
  });

  it('[SEC25] [GT11] [FL7] is another kind than that of a workspace, in both directions', async () => {
    const { renewal: ofOwner = '' } = (await logIn()).body;
    const { renewal: ofWorkspace } = await page.logIn(`Bearer ${await relay.relay.token('operator')}`);
    expect((await renew(ofWorkspace)).status).toBe(401);
    expect((await renew(ofWorkspace, { scheme: 'Renewal' })).status).toBe(401);
    expect((await page.renew(ofOwner)).status).toBe(401);
  });

  it('[FL7] refuses a key that is none, and keeps the link for another try', async () => {
    const code = new URL(await relay.ownerLink()).hash.slice('#owner='.length);
    const headers = { Authorization: `Link ${code}`, Origin: relay.url.origin };
    const point = { kty: 'EC', crv: 'P-256', x: 'A'.repeat(43), y: 'A'.repeat(43) };
    for (const key of ['x', point]) {
      const { status, body } = await relay.ask('POST', LOGIN, headers, { key });
      expect([status, body.error?.code]).toEqual([400, 'bad_request']);
    }
    const without = await relay.ask('POST', LOGIN, headers, {});
    expect([without.status, without.body.renewal]).toEqual([200, undefined]);
  });
});

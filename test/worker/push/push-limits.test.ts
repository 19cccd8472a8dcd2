/** Who may subscribe, how many subscriptions there may be, and what the relay does not accept. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  PUSH_ENDPOINT_MAX_CHARS,
  PUSH_MUTES_MAX,
  PUSH_PERSON_MAX,
  PUSH_SUBSCRIPTIONS_MAX,
  PUSH_VIEWERS_MAX,
} from '../../../protocol/limits.ts';
import { printable } from '../../../protocol/printable.ts';
import type { ClientRole } from '../../../protocol/roles.ts';
import type { Caller } from '../../../worker/gate/caller.ts';
import { personOf } from '../../../worker/workspace/push-person.ts';
import { Browser } from '../../support/push-browser.ts';
import { PushService, SubscribedBrowser } from '../../support/push-service.ts';
import { TestRelay } from '../../support/test-relay.ts';
import { connectMachine, subscriptionCount, wants } from './push-story.ts';

let service: PushService;
let relays: TestRelay;
beforeAll(async () => {
  service = await PushService.open();
  relays = await TestRelay.onWorkerd(PushService.relayOptions(service));
});
afterAll(async () => {
  await relays[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

/** Subscribes as somebody; returns the status and the code of a refusal. */
async function subscribe(relay: TestRelay, who: { role?: ClientRole; name?: string }, more: object = {}) {
  const { keys } = await Browser.open();
  const token = await relay.mint({ role: 'operator', ...who });
  const answer = await fetch(new URL(`/api/workspaces/${relay.workspace}/push/subscriptions`, relay.url), {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}` },
    body: JSON.stringify({ endpoint: service.endpoint(crypto.randomUUID()), keys, ...more }),
  });
  const { error } = (await answer.json()) as { error?: { code: string } };
  return `${answer.status} ${error?.code ?? 'ok'}`;
}

const endpoints = async (relay: TestRelay) =>
  ((await relay.sql('SELECT endpoint FROM push_subscriptions ORDER BY rowid'))[0] ?? []).map(({ endpoint }) =>
    String(endpoint).split('/').at(-1),
  );

describe('subscriptions', () => {
  it('[A5] [PU4] of one person have a limit: another replaces the oldest, and only one of that person', async () => {
    const relay = relays.another();
    const own = (name: string) => subscribe(relay, { name: 'ada' }, { endpoint: service.endpoint(name) });
    expect(await subscribe(relay, { name: 'bob' }, { endpoint: service.endpoint('bob') })).toBe('201 ok');
    for (let i = 0; i < PUSH_PERSON_MAX; i++) expect(await own(`a${i}`)).toBe('201 ok');
    expect(await endpoints(relay)).toContain('a0');
    expect(await own('one-more')).toBe('201 ok');
    const left = await endpoints(relay);
    expect(left).toHaveLength(1 + PUSH_PERSON_MAX);
    expect(left).not.toContain('a0');
    expect(left).toEqual(expect.arrayContaining(['bob', 'a1', 'one-more']));
  });

  it('[A5] [PU4] of a workspace have a limit, and viewers leave room for operators', async () => {
    const relay = relays.another();
    for (let i = 0; i < PUSH_VIEWERS_MAX; i++)
      expect(await subscribe(relay, { role: 'viewer', name: `viewer ${i}` })).toBe('201 ok');
    expect(await subscribe(relay, { role: 'viewer', name: 'one more' })).toBe('409 push_limit');
    for (let i = PUSH_VIEWERS_MAX; i < PUSH_SUBSCRIPTIONS_MAX; i++)
      expect(await subscribe(relay, { name: `operator ${i}` })).toBe('201 ok');
    expect(await subscribe(relay, { name: 'one more' })).toBe('409 push_limit');
    expect(await subscriptionCount(relay)).toBe(PUSH_SUBSCRIPTIONS_MAX);
    // Those whose token has ended take no room.
    await relay.sql("UPDATE push_subscriptions SET expires_at = 1 WHERE person = 'operator operator 40'");
    await relay.reset();
    expect(await subscribe(relay, { name: 'one more' })).toBe('201 ok');
  });

  it("[A5] [SEC24] [PU4] cannot be taken over by somebody who knows a browser's address alone", async () => {
    const relay = relays.another();
    const endpoint = service.endpoint('mine');
    const { keys } = await Browser.open();
    expect(await subscribe(relay, { name: 'ada' }, { endpoint, keys })).toBe('201 ok');
    expect(await subscribe(relay, { name: 'eve', role: 'viewer' }, { endpoint })).toBe('409 push_limit');
    expect(await subscribe(relay, { name: 'bob' }, { endpoint, keys }), 'the same browser').toBe('201 ok');
    expect(await subscriptionCount(relay)).toBe(1);
  });

  it('[X36] [A5] [SEC24] [PU4] of a token without a name are not those of somebody whose name is like that', () => {
    const nameless = { role: 'operator', credential: { tokenId: 'token-1' } } as const;
    const lookalikes = ['with token token-1', '\ntoken-1', 'token-1'].map((sub) => printable(sub));
    for (const name of lookalikes)
      expect(personOf({ ...nameless, credential: { tokenId: 'other', name } } as Caller)).not.toBe(
        personOf(nameless as Caller),
      );
  });

  it('[A5] are for people: an agent and strangers are refused, a viewer is told what it may list', async () => {
    const relay = relays.another();
    const at = new URL(`/api/workspaces/${relay.workspace}/push/subscriptions`, relay.url);
    for (const [headers, status] of [
      [{}, 401],
      [await relay.bearer('agent'), 403],
      [await relay.bearer('operator', 'other'), 403],
    ] as const) {
      const answer = await fetch(at, { method: 'POST', headers, body: '{}' });
      expect(answer.status).toBe(status);
    }
    const agent = await connectMachine(relay);
    const viewer = await SubscribedBrowser.at(relay, service, 'viewer', await relay.token('viewer'));
    wants(agent, 's1');
    expect(viewer.read(await service.next())).toMatchObject({ session: 's1' });
  });

  const p256dh = 'B'.repeat(87);
  it.each([
    ['an address of this machine', { endpoint: 'https://127.0.0.1/x' }, '422 push_service'],
    ['an address of the network', { endpoint: 'https://10.0.0.1/x' }, '422 push_service'],
    ['a cloud’s metadata', { endpoint: 'https://169.254.169.254/latest' }, '422 push_service'],
    ['plain http', { endpoint: 'http://fcm.googleapis.com/x' }, '422 push_service'],
    ['a foreign host', { endpoint: 'https://example.com/x' }, '422 push_service'],
    ['the relay itself', { endpoint: 'https://localhost/api' }, '422 push_service'],
    ['no address', { endpoint: '' }, '422 push_service'],
    ['an address that is too long', { endpoint: 'x'.repeat(PUSH_ENDPOINT_MAX_CHARS + 1) }, '400 bad_request'],
    ['no keys', { keys: undefined }, '400 bad_request'],
    ['keys that are none', { keys: { p256dh, auth: 'A'.repeat(22) } }, '400 bad_request'],
    ['keys that are too short', { keys: { p256dh: 'B', auth: 'A' } }, '400 bad_request'],
    ['another field', { more: 1 }, '400 bad_request'],
    ['too many mutes', { muted: Array(PUSH_MUTES_MAX + 1).fill('s1') }, '400 bad_request'],
    ['mutes that are none', { muted: ['not an id'] }, '400 bad_request'],
    ['as many mutes as there may be', { muted: Array(PUSH_MUTES_MAX).fill('s'.repeat(64)) }, '201 ok'],
  ])('[A5] [SEC24] [PU3] with %s: %s', async (_, more, outcome) => {
    expect(await subscribe(relays.another(), {}, more)).toBe(outcome);
  });
});

describe("the workspace's key", () => {
  it('[A5] [SEC2] is made once, and its private half is in no answer and no log', async () => {
    const relay = relays.another();
    const at = new URL(`/api/workspaces/${relay.workspace}/push/key`, relay.url);
    const headers = await relay.bearer('viewer');
    const texts = await Promise.all(
      Array.from({ length: 4 }, async () => (await fetch(at, { headers })).text()),
    );
    expect(new Set(texts).size, 'also if several ask at once').toBe(1);
    const [[row] = []] = await relay.sql('SELECT public_key, private_key FROM push_key');
    expect(JSON.parse(texts[0] ?? '')).toEqual({ key: row?.public_key });
    const { d } = JSON.parse(String(row?.private_key)) as { d: string };
    expect(d.length).toBeGreaterThan(40);
    expect(texts.join() + relay.logs.join()).not.toContain(d);
  });
});

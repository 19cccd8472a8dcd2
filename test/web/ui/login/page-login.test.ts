/** When the page renews its login, without a browser. */
import { describe, expect, it } from 'vitest';
import { LOGIN_ENDING_MS, PAGE_COOKIE_RENEW_MS, PASTED_LINK_MAX_CHARS } from '../../../../protocol/limits.ts';
import {
  CHECK_EVERY_MS,
  type LoginStore,
  PageLogin,
  type Renewed,
  type StoredLogin,
} from '../../../../web/ui/login/page-login.ts';
import { readPastedLink } from '../../../../web/ui/login/pasted-link.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

const HOUR_MS = 3_600_000;
const NO_KEYS = {} as CryptoKeyPair;

class FakeStore implements LoginStore {
  stored: StoredLogin | null = null;

  async read() {
    return this.stored;
  }
  async write(login: StoredLogin) {
    this.stored = login;
  }
  async remove() {
    this.stored = null;
  }
}

function open(stored: { readonly renewedAt: number } | null = { renewedAt: 0 }) {
  const store = new FakeStore();
  store.stored = stored === null ? null : { keys: NO_KEYS, renewal: 'first', endsAt: null, ...stored };
  const shown: string[] = [];
  const relay = { answer: { name: 'renewed', renewal: 'next', endsAt: null } as Renewed, time: 0 };
  const login = new PageLogin({
    store,
    wallClock: () => relay.time,
    renew: async ({ renewal }) => {
      shown.push(renewal);
      return relay.answer;
    },
  });
  return { login, relay, store, shown };
}

describe('before the cookie is used', () => {
  it('[X11] it is renewed when it is old, and not before', async () => {
    const { login, relay, store, shown } = open();
    relay.time = PAGE_COOKIE_RENEW_MS - 1;
    expect(await login.ready()).toBe('in');
    expect(shown).toEqual([]);
    relay.time = PAGE_COOKIE_RENEW_MS;
    expect(await login.ready()).toBe('in');
    expect(shown).toEqual(['first']);
    expect(store.stored).toEqual({
      keys: NO_KEYS,
      renewal: 'next',
      renewedAt: PAGE_COOKIE_RENEW_MS,
      endsAt: null,
    });
    expect(await login.ready()).toBe('in');
    expect(shown).toHaveLength(1);
  });

  it('[X11] it is renewed after a night, and if the clock was set back', async () => {
    for (const time of [9 * HOUR_MS, -1]) {
      const { login, relay, shown } = open();
      relay.time = time;
      expect(await login.ready()).toBe('in');
      expect(shown).toEqual(['first']);
    }
  });

  it('[X11] it is tried even without a stored login', async () => {
    const { login, shown } = open(null);
    expect(await login.ready()).toBe('unknown');
    expect(shown).toEqual([]);
  });

  it('[X11] the result of a renewal is reported, and a refused login is kept, because the relay may accept it again', async () => {
    for (const name of ['refused', 'failed'] as const) {
      const { login, relay, store } = open();
      relay.time = HOUR_MS;
      relay.answer = { name };
      expect(await login.ready()).toBe(name);
      expect(store.stored?.renewal).toBe('first');
    }
  });

  it('[X11] two concurrent requests renew it once', async () => {
    const { login, relay, shown } = open();
    relay.time = HOUR_MS;
    await Promise.all([login.ready(), login.ready()]);
    expect(shown).toHaveLength(1);
  });

  it('[X11] it is not renewed again if another window has renewed it', async () => {
    const { login, relay, store, shown } = open();
    relay.time = HOUR_MS;
    await store.write({ keys: NO_KEYS, renewal: 'of another window', renewedAt: HOUR_MS, endsAt: null });
    expect(await login.ready()).toBe('in');
    expect(shown).toEqual([]);
  });
});

describe('when the cookie is refused', () => {
  it('[X11] a new one is requested once: if that is refused too, the token was revoked', async () => {
    const { login, shown } = open();
    expect(await login.replace()).toBe(true);
    expect(await login.replace()).toBe(false);
    expect(shown).toHaveLength(1);
  });

  it('[X11] a new one may be requested again after one was accepted', async () => {
    const { login, shown } = open();
    expect(await login.replace()).toBe(true);
    login.accepted();
    expect(await login.replace()).toBe(true);
    expect(shown).toHaveLength(2);
  });

  it('[X11] the login has ended if it cannot be renewed, or if there is none', async () => {
    const { login, relay } = open();
    relay.answer = { name: 'refused' };
    expect(await login.replace()).toBe(false);
    expect(await open(null).login.replace()).toBe(false);
  });

  it('[X11] the renewal is retried if the relay was unreachable', async () => {
    const { login, relay } = open();
    relay.answer = { name: 'failed' };
    expect(await login.replace()).toBe(true);
    expect(await login.replace()).toBe(true);
  });
});

describe('while the page is open', () => {
  it('[X11] the cookie is renewed before it expires, repeatedly, and not after the page is closed', async () => {
    const { login, relay, shown } = open();
    const clock = new FakeClock();
    const stop = login.keepFresh(clock);
    for (let passed = 0; passed < HOUR_MS; passed += CHECK_EVERY_MS) {
      relay.time += CHECK_EVERY_MS;
      clock.advance(CHECK_EVERY_MS);
      await login.ready();
    }
    expect(shown).toHaveLength(6);
    stop();
    expect(clock.pending).toBe(0);
  });
});

describe('before the login ends', () => {
  it('[U14] its end is announced shortly before, and not earlier', async () => {
    const { login, relay, store } = open();
    const told: (number | null)[] = [];
    login.onChange(() => told.push(login.endingAt));
    await store.write({ keys: NO_KEYS, renewal: 'first', renewedAt: 0, endsAt: HOUR_MS });
    relay.time = HOUR_MS - LOGIN_ENDING_MS - 1;
    relay.answer = { name: 'renewed', renewal: 'next', endsAt: HOUR_MS };
    await login.ready();
    expect(login.endingAt).toBeNull();
    relay.time += 1;
    await login.ready();
    expect(login.endingAt).toBe(HOUR_MS);
    expect(told).toEqual([null, null, HOUR_MS]);
  });

  it('[U14] signing in with another link postpones it, and its cookie may be replaced again', async () => {
    const { login, relay, store } = open();
    await store.write({ keys: NO_KEYS, renewal: 'first', renewedAt: 0, endsAt: 1 });
    relay.answer = { name: 'renewed', renewal: 'next', endsAt: 1 };
    expect(await login.replace()).toBe(true);
    expect(login.endingAt).toBe(1);
    await store.write({ keys: NO_KEYS, renewal: 'of a link', renewedAt: 0, endsAt: 9 * HOUR_MS });
    await login.changed();
    expect(login.endingAt).toBeNull();
    expect(await login.replace()).toBe(true);
  });
});

describe('a pasted link', () => {
  const here = { origin: 'https://relay.example', workspace: 'build' };
  const link = 'https://relay.example/w/build#token=a.b.c';

  it.each([
    ['a link', link],
    ['with surrounding blanks', `  ${link}\n`],
    ['of a page that draws with elements', 'https://relay.example/w/build?renderer=dom#token=a.b.c'],
  ])('[U14] %s signs in', (_, text) => {
    expect(readPastedLink(text, here)).toMatchObject({
      name: 'link',
      workspace: 'build',
      credential: 'Bearer a.b.c',
    });
  });

  it.each([
    ['nothing', ' ', /Paste the link first/],
    ['a bare token', 'a.b.c', /not a link/],
    ['a truncated link', 'https://relay.example/w/build', /from # on, is missing/],
    ['a link to another workspace', 'https://relay.example/w/other#token=a', /workspace “other”/],
    ['a link to another relay', 'https://evil.example/w/build#token=a', /another relay, evil\.example/],
    ['a link over plain http', 'http://relay.example/w/build#token=a', /another relay/],
    ['an address that is not a page', 'https://relay.example/status#token=a', /does not lead to a workspace/],
    ['a script', 'javascript:alert(1)#token=a', /another relay/],
    ['too much', `${link}${'x'.repeat(PASTED_LINK_MAX_CHARS + 1 - link.length)}`, /too long/],
  ])('[U14] %s is refused with a sentence', (_, text, sentence) => {
    expect(readPastedLink(text, here)).toEqual({
      name: 'unusable',
      sentence: expect.stringMatching(sentence),
    });
  });

  it('[U14] of the maximum length is accepted', () => {
    const text = link + 'x'.repeat(PASTED_LINK_MAX_CHARS - link.length);
    expect(readPastedLink(text, here).name).toBe('link');
  });

  it('[U14] to any workspace is accepted if none is shown', () => {
    const other = readPastedLink('https://relay.example/w/other#ticket=t', { ...here, workspace: null });
    expect(other).toMatchObject({ workspace: 'other', credential: 'Ticket t', href: '/w/other#ticket=t' });
  });
});

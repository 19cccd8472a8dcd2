/** When the page renews its login, without a browser. */
import { describe, expect, it } from 'vitest';
import { PAGE_COOKIE_RENEW_MS } from '../../protocol/limits.ts';
import {
  CHECK_EVERY_MS,
  type LoginStore,
  PageLogin,
  type Renewed,
  type StoredLogin,
} from '../../web/ui/login/page-login.ts';
import { FakeClock } from '../support/fake-clock.ts';

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
  store.stored = stored === null ? null : { keys: NO_KEYS, renewal: 'first', ...stored };
  const shown: string[] = [];
  const relay = { answer: { name: 'renewed', renewal: 'next' } as Renewed, time: 0 };
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
    expect(store.stored).toEqual({ keys: NO_KEYS, renewal: 'next', renewedAt: PAGE_COOKIE_RENEW_MS });
    expect(await login.ready()).toBe('in');
    expect(shown).toHaveLength(1);
  });

  it('[X11] it is renewed after a night, and when the clock was set back', async () => {
    for (const time of [9 * HOUR_MS, -1]) {
      const { login, relay, shown } = open();
      relay.time = time;
      expect(await login.ready()).toBe('in');
      expect(shown).toEqual(['first']);
    }
  });

  it('[X11] without a stored login there may be a cookie all the same', async () => {
    const { login, shown } = open(null);
    expect(await login.ready()).toBe('unknown');
    expect(shown).toEqual([]);
  });

  it('[X11] what came of renewing is said, and a refused login is kept: the relay may take it again', async () => {
    for (const name of ['refused', 'failed'] as const) {
      const { login, relay, store } = open();
      relay.time = HOUR_MS;
      relay.answer = { name };
      expect(await login.ready()).toBe(name);
      expect(store.stored?.renewal).toBe('first');
    }
  });

  it('[X11] two who ask at once renew once', async () => {
    const { login, relay, shown } = open();
    relay.time = HOUR_MS;
    await Promise.all([login.ready(), login.ready()]);
    expect(shown).toHaveLength(1);
  });

  it('[X11] what another window has renewed is not renewed again', async () => {
    const { login, relay, store, shown } = open();
    relay.time = HOUR_MS;
    await store.write({ keys: NO_KEYS, renewal: 'of another window', renewedAt: HOUR_MS });
    expect(await login.ready()).toBe('in');
    expect(shown).toEqual([]);
  });
});

describe('when the cookie is refused', () => {
  it('[X11] another is got, once: when that is refused too, the token was revoked', async () => {
    const { login, shown } = open();
    expect(await login.replace()).toBe(true);
    expect(await login.replace()).toBe(false);
    expect(shown).toHaveLength(1);
  });

  it('[X11] another may be got again after one was accepted', async () => {
    const { login, shown } = open();
    expect(await login.replace()).toBe(true);
    login.accepted();
    expect(await login.replace()).toBe(true);
    expect(shown).toHaveLength(2);
  });

  it('[X11] that is the end when the login can not be renewed, and when there is none', async () => {
    const { login, relay } = open();
    relay.answer = { name: 'refused' };
    expect(await login.replace()).toBe(false);
    expect(await open(null).login.replace()).toBe(false);
  });

  it('[X11] it is tried again when the relay could not be asked', async () => {
    const { login, relay } = open();
    relay.answer = { name: 'failed' };
    expect(await login.replace()).toBe(true);
    expect(await login.replace()).toBe(true);
  });
});

describe('while the page is open', () => {
  it('[X11] the cookie is renewed before it ends, over and over, and no more after the page has gone', async () => {
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

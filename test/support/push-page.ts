/**
 * A browser profile whose push service is ours. Chromium's own is on the internet, so the browser's part of a
 * subscription is made here, and pushes are delivered through its debugging protocol. The page, its service worker, the
 * relay and the push service are real.
 */
import type { BrowserContext, Page, Worker } from 'playwright-core';
import { expect } from 'vitest';
import { Browser } from './push-browser.ts';
import type { PushService } from './push-service.ts';
import type { TestRelay } from './test-relay.ts';

let profiles = 0;

export class PushProfile {
  readonly context: BrowserContext;
  readonly browser: Browser;
  readonly endpoint: string;
  readonly #relay: TestRelay;
  readonly #service: PushService;

  private constructor(context: BrowserContext, browser: Browser, relay: TestRelay, service: PushService) {
    this.context = context;
    this.browser = browser;
    this.endpoint = service.endpoint(`chromium-${++profiles}`);
    this.#relay = relay;
    this.#service = service;
  }

  /** The person has allowed notifications. */
  static async open(context: BrowserContext, relay: TestRelay, service: PushService): Promise<PushProfile> {
    await context.grantPermissions(['notifications'], { origin: relay.url.origin });
    const browser = await Browser.open();
    const profile = new PushProfile(context, browser, relay, service);
    const { endpoint } = profile;
    await context.addInitScript(subscribeHere, { endpoint, expirationTime: null, keys: browser.keys });
    return profile;
  }

  /** What the next push to this profile says. Pushes to others are skipped: a profile that was closed stays subscribed. */
  async pushed(): Promise<object> {
    for (;;) {
      const { body, path } = await this.#service.next();
      if (this.endpoint.endsWith(path)) return JSON.parse(this.browser.decrypt(body)) as object;
    }
  }

  /** What the relay knows of it. */
  async atRelay(): Promise<Record<string, unknown>[]> {
    const columns = 'SELECT endpoint, muted, page FROM push_subscriptions';
    return (await this.#relay.sql(`${columns} WHERE endpoint = '${this.endpoint}'`))[0] ?? [];
  }

  /** The service worker of the workspace. `page` is any page of the profile. */
  async worker(page: Page): Promise<PushWorker> {
    const tools = await this.context.newCDPSession(page);
    const scope = new URL(`/w/${this.#relay.workspace}`, this.#relay.url).href;
    const registration = new Promise<string>((resolve) => {
      tools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        const own = registrations.find(({ scopeURL, isDeleted }) => !isDeleted && scopeURL === scope);
        if (own !== undefined) resolve(own.registrationId);
      });
    });
    await tools.send('ServiceWorker.enable');
    const registrationId = await registration;
    const { origin } = this.#relay.url;
    const worker = this.context.serviceWorkers()[0] ?? (await this.context.waitForEvent('serviceworker'));
    const deliver = (data: string) =>
      tools.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data });
    return new PushWorker(worker, deliver);
  }
}

/** Runs in the page, before its own scripts. The subscription is remembered for every page of the profile. */
function subscribeHere(made: object): void {
  const stored = 'test/subscribed';
  const subscriptionOf = (key: readonly number[]) => ({
    toJSON: () => made,
    options: { applicationServerKey: Uint8Array.from(key).buffer },
    unsubscribe: async () => localStorage.removeItem(stored),
  });
  const prototype = PushManager.prototype as unknown as Record<string, unknown>;
  prototype.getSubscription = async () => {
    const key = localStorage.getItem(stored);
    return key === null ? null : subscriptionOf(JSON.parse(key));
  };
  prototype.subscribe = async (options: { applicationServerKey: Uint8Array }) => {
    const key = [...options.applicationServerKey];
    localStorage.setItem(stored, JSON.stringify(key));
    return subscriptionOf(key);
  };
}

export class PushWorker {
  readonly worker: Worker;
  readonly #deliver: (data: string) => Promise<unknown>;

  constructor(worker: Worker, deliver: (data: string) => Promise<unknown>) {
    this.worker = worker;
    this.#deliver = deliver;
  }

  /** Delivers a push, and waits until the service worker has looked whether somebody sees the page. */
  async push(note: object): Promise<void> {
    const handled = await this.#handled();
    await this.#deliver(JSON.stringify(note));
    await expect.poll(() => this.#handled()).toBeGreaterThan(handled);
  }

  notifications(): Promise<{ title: string; body: string; tag: string }[]> {
    return this.worker.evaluate(async () => {
      const { registration } = self as unknown as { registration: ServiceWorkerRegistration };
      const shown = await registration.getNotifications();
      return shown.map(({ title, body, tag }) => ({ title, body, tag }));
    });
  }

  /**
   * A click on the only notification. Tests cannot click on one in Chromium, so this is the same event without the
   * person's consent, without which windows are neither opened nor focused: both are noted instead.
   */
  click(): Promise<{ opened: string | null; focused: string | null }> {
    return this.worker.evaluate(async () => {
      const scope = self as unknown as {
        registration: ServiceWorkerRegistration;
        clients: { openWindow(url: string): Promise<null> };
        WindowClient: { prototype: { focus(): Promise<void> } };
        NotificationEvent: new (type: string, init: object) => Event;
        dispatchEvent(event: Event): boolean;
      };
      const [notification] = await scope.registration.getNotifications();
      return new Promise((resolve) => {
        scope.clients.openWindow = async (opened) => {
          resolve({ opened, focused: null });
          return null;
        };
        scope.WindowClient.prototype.focus = async function (this: { url: string }) {
          resolve({ opened: null, focused: new URL(this.url).pathname });
        };
        scope.dispatchEvent(new scope.NotificationEvent('notificationclick', { notification }));
      });
    });
  }

  /** From now on all pages count as hidden. A headless browser shows all of them. */
  async hidePages(): Promise<void> {
    await this.worker.evaluate(() => {
      const { WindowClient } = self as unknown as { WindowClient: { prototype: object } };
      Object.defineProperty(WindowClient.prototype, 'visibilityState', { get: () => 'hidden' });
    });
  }

  /** How many pushes it has handled since this was first asked. It looks for pages first, and answers come in order. */
  #handled(): Promise<number> {
    return this.worker.evaluate(() => {
      const scope = self as unknown as {
        handled?: number;
        clients: { matchAll(options: object): Promise<unknown> };
        addEventListener(type: 'push', heard: () => void): void;
      };
      const note = () => {
        scope.handled = (scope.handled ?? 0) + 1;
      };
      if (scope.handled === undefined) {
        scope.handled = 0;
        const look = () => scope.clients.matchAll({ type: 'window', includeUncontrolled: true });
        scope.addEventListener('push', () => void look().then(note));
      }
      return scope.handled;
    });
  }
}

/**
 * Whether this browser is told of sessions while no page is open, and how that is switched on and off. All side effects
 * go through the parts passed in.
 *
 *              turnOn                              turnOff, or the person signs out
 *   off ──────────────────► changing ──► on ──────────────────► changing ──► off
 *    ▲                          │
 *    └──── it did not work ─────┘          blocked: the person has told the browser never to ask again
 *
 * A subscription is valid at the relay for as long as the login that made it, so every load of the page makes it anew.
 */

/** A subscription as a browser describes it (`PushSubscription.toJSON()`). */
export interface BrowserSubscription {
  readonly endpoint?: string | undefined;
  readonly keys?: Readonly<Record<string, string>> | undefined;
}

export interface PushBrowser {
  readonly permission: 'default' | 'granted' | 'denied';
  /** Asks the person, unless they have answered before. Must run while a click is handled. */
  ask(): Promise<'default' | 'granted' | 'denied'>;
  /** The subscription that there is, if it was made with `key`. */
  current(key: string): Promise<BrowserSubscription | null>;
  subscribe(key: string): Promise<BrowserSubscription>;
  unsubscribe(): Promise<void>;
}

export interface PushRelay {
  key(): Promise<string>;
  /** Returns the id of the subscription at the relay. */
  subscribe(subscription: BrowserSubscription, muted: readonly string[]): Promise<string>;
  unsubscribe(id: string): Promise<void>;
}

/** Sessions of which this browser shows nothing. */
export interface Mutes {
  readonly list: readonly string[];
}

export type PushState =
  /** The browser cannot do it. */
  | { readonly name: 'unsupported' }
  | { readonly name: 'blocked' }
  | { readonly name: 'off'; readonly trouble: string | null }
  | { readonly name: 'changing' }
  /** `id` is null if the relay could not be told yet that it is still wanted. */
  | { readonly name: 'on'; readonly id: string | null };

interface PushSwitchParts {
  /** Null where the browser has no such thing. */
  readonly browser: PushBrowser | null;
  readonly relay: PushRelay;
  readonly muted: Mutes;
}

export class PushSwitch {
  readonly #parts: PushSwitchParts;
  readonly #listeners = new Set<() => void>();
  #state: PushState;
  #hasStarted = false;

  constructor(parts: PushSwitchParts) {
    this.#parts = parts;
    this.#state = parts.browser === null ? { name: 'unsupported' } : restingState(parts.browser);
  }

  get state(): PushState {
    return this.#state;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The page is logged in. If this browser was subscribed, it is subscribed again with this login. */
  async start(): Promise<void> {
    const { browser, relay } = this.#parts;
    if (this.#hasStarted || browser === null || browser.permission !== 'granted') return;
    this.#hasStarted = true;
    try {
      const subscription = await browser.current(await relay.key());
      if (subscription === null || (this.#state.name !== 'off' && this.#state.name !== 'on')) return;
      if (this.#state.name === 'off') this.#enter({ name: 'on', id: null });
      await this.#tell(subscription);
    } catch {
      // The relay cannot be reached, or has failed. This is tried again when the page connects again.
      this.#hasStarted = false;
    }
  }

  async turnOn(): Promise<void> {
    const { browser, relay } = this.#parts;
    if (browser === null || this.#state.name === 'changing' || this.#state.name === 'on') return;
    this.#enter({ name: 'changing' });
    try {
      if ((await browser.ask()) !== 'granted') return this.#enter(restingState(browser));
      const key = await relay.key();
      const subscription = (await browser.current(key)) ?? (await browser.subscribe(key));
      this.#enter({ name: 'on', id: await relay.subscribe(subscription, this.#parts.muted.list) });
    } catch (error) {
      this.#enter({ name: 'off', trouble: error instanceof Error ? error.message : String(error) });
    }
  }

  /** The browser gives up its subscription first: then no push can arrive, whatever the relay answers. */
  async turnOff(): Promise<void> {
    const { browser, relay } = this.#parts;
    if (browser === null || this.#state.name !== 'on') return;
    const { id } = this.#state;
    this.#enter({ name: 'changing' });
    await browser.unsubscribe().catch(() => {});
    if (id !== null) await relay.unsubscribe(id).catch(() => {});
    this.#enter(restingState(browser));
  }

  /** The person has muted a session, or no longer mutes it. */
  async mutesChanged(): Promise<void> {
    const { browser, relay } = this.#parts;
    if (browser === null || this.#state.name !== 'on') return;
    try {
      const subscription = await browser.current(await relay.key());
      if (subscription !== null) await this.#tell(subscription);
    } catch {
      // The next load of the page tells the relay.
    }
  }

  async #tell(subscription: BrowserSubscription): Promise<void> {
    const id = await this.#parts.relay.subscribe(subscription, this.#parts.muted.list);
    if (this.#state.name === 'on') this.#enter({ name: 'on', id });
  }

  #enter(state: PushState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

const restingState = ({ permission }: PushBrowser): PushState =>
  permission === 'denied' ? { name: 'blocked' } : { name: 'off', trouble: null };

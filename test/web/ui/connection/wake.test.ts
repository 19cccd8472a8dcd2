/** What makes a page check its connection before its timers would. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { wakeOnReturn } from '../../../../web/ui/connection/wake-on-return.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

/** A browser's window and document, with the events that the page listens to. */
class FakeBrowser {
  readonly window = new EventTarget();
  readonly document = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  readonly clock = new FakeClock();
  wallMs = 1_000_000;
  woken = 0;
  doubted = 0;
  readonly stop: () => void;

  constructor() {
    vi.stubGlobal('addEventListener', this.window.addEventListener.bind(this.window));
    vi.stubGlobal('document', this.document);
    vi.spyOn(Date, 'now').mockImplementation(() => this.wallMs);
    this.stop = wakeOnReturn({ wake: () => this.woken++, doubt: () => this.doubted++ }, this.clock);
  }

  /** Both clocks advance, as while the machine is awake. */
  passes(ms: number): void {
    for (let left = ms; left > 0; left -= 500) {
      this.wallMs += 500;
      this.clock.advance(500);
    }
  }

  /** During sleep, only the wall clock advances. */
  sleeps(ms: number): void {
    this.wallMs += ms;
  }

  becomes(visibilityState: 'visible' | 'hidden'): void {
    this.document.visibilityState = visibilityState;
    this.document.dispatchEvent(new Event('visibilitychange'));
  }
}

let browser: FakeBrowser;
beforeEach(() => {
  browser = new FakeBrowser();
});
afterEach(() => {
  browser.stop();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe('[CN7] [F3] a page', () => {
  it.each(['online', 'pageshow', 'focus'])('[U11] checks its connection on %s', (name) => {
    browser.window.dispatchEvent(new Event(name));
    expect(browser).toMatchObject({ woken: 1, doubted: 0 });
  });

  it('checks its connection when the browser reports that the network is gone', () => {
    browser.window.dispatchEvent(new Event('offline'));
    expect(browser).toMatchObject({ woken: 0, doubted: 1 });
  });

  it('checks when it is shown again, and not when it is hidden', () => {
    browser.becomes('hidden');
    expect(browser.woken).toBe(0);
    browser.becomes('visible');
    expect(browser.woken).toBe(1);
  });

  it('checks within a second after the machine has slept, once', () => {
    browser.passes(10_000);
    browser.sleeps(60_000);
    expect(browser.woken).toBe(0);
    browser.passes(1_000);
    expect(browser.woken).toBe(1);
    browser.passes(60_000);
    expect(browser.woken).toBe(1);
  });

  it('does not mistake a busy moment for sleep', () => {
    for (let times = 0; times < 20; times++) {
      browser.sleeps(3_000);
      browser.passes(1_000);
    }
    expect(browser.woken).toBe(0);
  });

  it('removes its listeners when it leaves', () => {
    browser.stop();
    browser.window.dispatchEvent(new Event('online'));
    browser.window.dispatchEvent(new Event('offline'));
    browser.sleeps(60_000);
    browser.passes(5_000);
    expect(browser).toMatchObject({ woken: 0, doubted: 0 });
  });
});

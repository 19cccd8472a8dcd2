/**
 * Lets requests begin only a few at a time. The runtime begins every request that has arrived before it looks at its
 * connections again, so many at once would keep everybody's terminals waiting until the last one is answered. Those that
 * wait share no timer, only numbers (unbroken-work.ts). Rule RL17.
 */
import { type UnbrokenWork, unbrokenWork } from '../metering/unbroken-work.ts';
import { Waiters } from '../metering/waiters.ts';

/**
 * A request in units of a turn, without what its workspace does for it: about 0.4 ms if it has a credential to be
 * checked and is passed on to a workspace, and 0.15 ms if not.
 */
const WORKSPACE_REQUEST_COST = 16;
const OTHER_REQUEST_COST = 6;

/** Paths of requests that are passed on to an object: to a workspace, to the fleet, or to both. */
const OF_OBJECT = /^\/(?:(?:api\/(?:workspaces|owner)|ws|terminal)\/|(?:api\/join|mcp)(?:\/|$))/;

/**
 * Waiting requests are spread over this many milliseconds, at first and at most, or over one for each that waits if that
 * is more. If all asked again at once, asking would cost as much as answering: 250 requests that were abandoned by their
 * senders asked four to eight times each.
 */
const SPREAD_MIN_MS = 8;
const SPREAD_MAX_MS = 32;

/** Then a request begins anyway: workspaces that send all the time never leave room. */
const TRIES_MAX = 16;
const WAIT_MAX_MS = 250;

/** Of one sleep: as long as a thousand requests that wait for each other. */
const SLEEP_MAX_MS = 1000;

export class RequestWay {
  readonly #work: UnbrokenWork;
  readonly #sleep: (ms: number) => Promise<void>;
  readonly #now: () => number;
  readonly #waiters = new Waiters(WAIT_MAX_MS + SLEEP_MAX_MS);
  #place = 0;

  constructor(work: UnbrokenWork, sleep: (ms: number) => Promise<void>, now: () => number) {
    this.#work = work;
    this.#sleep = sleep;
    this.#now = now;
  }

  /** Resolves when the request may begin. */
  async enter(path: string): Promise<void> {
    if (this.#work.isTooMuch) await this.#wait();
    this.#work.spend(OF_OBJECT.test(path) ? WORKSPACE_REQUEST_COST : OTHER_REQUEST_COST);
  }

  async #wait(): Promise<void> {
    let waitedMs = 0;
    this.#waiters.join(this.#now());
    for (let tries = 0; this.#work.isTooMuch && tries < TRIES_MAX && waitedMs < WAIT_MAX_MS; tries++) {
      const waiting = Math.min(this.#waiters.count(this.#now()), SLEEP_MAX_MS);
      const spreadMs = Math.max(Math.min(SPREAD_MIN_MS * 2 ** tries, SPREAD_MAX_MS), waiting);
      const { looks } = this.#work;
      const ms = this.#place++ % spreadMs;
      await this.#sleep(ms);
      this.#work.looked(looks);
      waitedMs += ms;
    }
    this.#waiters.leave();
  }
}

/** One for the isolate. */
export const requestWay = new RequestWay(
  unbrokenWork,
  (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  Date.now,
);

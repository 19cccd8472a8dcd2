/**
 * Sockets without a network. The code under test dials a `FakeNetwork`; each call makes a `SocketPair`, whose near end
 * the caller holds and whose far end the test controls.
 *
 * Frames arrive at once and in order. Events of a socket that the caller has closed still arrive, as with a real one:
 * the caller has to ignore them.
 */
import { CLOSE } from '../../protocol/close-codes.ts';
import type { Dial, Socket, SocketEvents, WireFrame } from '../../protocol/connection.ts';
import type { FakeClock } from './fake-clock.ts';

interface Closing {
  readonly code: number;
  readonly reason: string;
}

export class FakeNetwork {
  readonly pairs: SocketPair[] = [];

  readonly dial: Dial = (events) => {
    const pair = new SocketPair(events);
    this.pairs.push(pair);
    return pair.near;
  };

  get dials(): number {
    return this.pairs.length;
  }

  /** The far end of the newest attempt. */
  get latest(): SocketPair {
    const pair = this.pairs.at(-1);
    if (pair === undefined) throw new Error('nobody has dialled');
    return pair;
  }

  /** Advances the clock, with heartbeats answered. */
  passes(clock: FakeClock, ms: number): void {
    for (let left = ms; left > 0; left -= 1000) {
      clock.advance(Math.min(left, 1000));
      this.latest.send('pong');
    }
  }

  /** Sockets that the caller still holds: neither side has ended them. */
  get held(): SocketPair[] {
    return this.pairs.filter((pair) => pair.state !== 'ended' && pair.closedByNear === undefined);
  }
}

export class SocketPair {
  readonly #events: SocketEvents;
  #state: 'dialing' | 'open' | 'ended' = 'dialing';
  #silent = false;
  /** What the far end has received, oldest first. */
  readonly heard: WireFrame[] = [];
  closedByNear: Closing | undefined;

  readonly near: Socket = {
    send: (frame) => this.#hear(frame),
    close: (code, reason) => {
      this.closedByNear ??= { code, reason };
    },
  };

  constructor(events: SocketEvents) {
    this.#events = events;
  }

  /** The state as the caller's side knows it. */
  get state(): 'dialing' | 'open' | 'ended' {
    return this.#state;
  }

  /** The far end accepts the connection. */
  accept(): void {
    this.#mustBe('dialing');
    if (this.#silent) return;
    this.#state = 'open';
    this.#events.opened();
  }

  /** The far end, or something in between, refuses the connection. */
  refuse(code: number = CLOSE.abnormal, reason = ''): void {
    this.#mustBe('dialing');
    this.#end(code, reason);
  }

  /** The far end sends a frame. After `goSilent` it is lost. */
  send(frame: WireFrame): void {
    this.#mustBe('open');
    if (!this.#silent) this.#events.received(frame);
  }

  /** The far end closes. */
  close(code: number, reason = ''): void {
    this.#mustBe('open');
    this.#end(code, reason);
  }

  /** The path breaks, and the caller's side notices. */
  cut(): void {
    this.#end(CLOSE.abnormal, '');
  }

  /** The path dies without notice: from now on nothing arrives on either side, not even a close. */
  goSilent(): void {
    this.#silent = true;
  }

  #hear(frame: WireFrame): void {
    // A WebSocket that is not open throws (while connecting) or drops the frame (once closed); either is a bug of ours.
    if (this.#state !== 'open') throw new Error(`invariant: sent on a socket that is ${this.#state}`);
    if (this.closedByNear !== undefined) throw new Error('invariant: sent on a socket already given up');
    if (!this.#silent) this.heard.push(frame);
  }

  #end(code: number, reason: string): void {
    if (this.#state === 'ended') throw new Error('a socket ends once');
    if (this.#silent) return;
    this.#state = 'ended';
    this.#events.closed(code, reason);
  }

  #mustBe(state: 'dialing' | 'open'): void {
    if (this.#state !== state) throw new Error(`the far end is ${this.#state}, not ${state}`);
  }
}

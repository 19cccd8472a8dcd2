/**
 * Keeps one socket to the relay open, and reconnects it. The page, the command line and the agent all use it; each
 * supplies its own `dial`. Rules CN1 to CN8.
 *
 *            timer, retryNow()     opens
 *   waiting ─────────────────► dialing ─────────► open
 *      ▲                          │ closes          │ closes, or no pong in time
 *      └──────────────────────────┴─────────────────┘
 *                                 └── closed: reconnecting cannot help, or close(). Final, unless a credential
 *                                     was refused and renewed() says that there is another.
 *
 * Nothing is queued while the socket is down. Both sides resynchronise by offset when it returns, and keys typed at a
 * frozen screen must not reach a live shell later.
 */
import { type Outage, retryDelay } from './backoff.ts';
import type { Cancel, Clock } from './clock.ts';
import { CLOSE, type Redial, redialAfter } from './close-codes.ts';
import { LinkProof } from './link-proof.ts';

export type WireFrame = string | Uint8Array<ArrayBuffer>;

/** One connection attempt. `close` may be called at any time; `closed` is not called in response. */
export interface Socket {
  send(frame: WireFrame): void;
  close(code: number, reason: string): void;
}

export interface SocketEvents {
  opened(): void;
  received(frame: WireFrame): void;
  /** The socket has closed, or could not be opened. `reason` is a sentence if the other side gave one. */
  closed(code: number, reason: string): void;
}

/** Starts an attempt and returns at once. Events are delivered later, never from inside the call. */
export type Dial = (events: SocketEvents) => Socket;

export type ConnectionState =
  | {
      readonly name: 'waiting';
      /** When the other side was last known to be connected: a dead path is noticed only later. */
      readonly since: number;
      readonly retryAt: number;
      readonly code: number;
      readonly reason: string;
      readonly cancel: Cancel;
    }
  | { readonly name: 'dialing'; readonly since: number; readonly socket: Socket; readonly cancel: Cancel }
  | { readonly name: 'open'; readonly socket: Socket; readonly cancel: Cancel }
  | { readonly name: 'closed'; readonly code: number; readonly reason: string };

export interface ConnectionOptions {
  readonly dial: Dial;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Whether a person is looking right now; checked before each wait. */
  readonly watched: () => boolean;
  /** Whether the next attempt may have another credential (a token file read again, a login renewed). */
  readonly renewable: boolean;
  /** Overrides what a close code means for reconnecting. */
  readonly redial?: (code: number) => Redial;
  readonly stateChanged: (state: ConnectionState) => void;
  readonly received: (frame: WireFrame) => void;
  /** The relay answered a heartbeat after this time. */
  readonly answered?: (roundTripMs: number) => void;
  /**
   * A request that the Durable Object itself answers, and not the platform for it. Without one, the link is never
   * checked. [CN8]
   */
  readonly question?: () => WireFrame;
  readonly proveAfterMs?: number;
}

/** Well below the shortest idle timeout seen in proxies (30 s), with room for one lost ping. */
export const PING_EVERY_MS = 8_000;
/** Two slow round trips across the world. Including the wait before it, a dead path is noticed within 13 s. */
export const PONG_WITHIN_MS = 5_000;
/** The deadline of a probe. It is short, because a person has just come back and waits. */
export const PROBE_WITHIN_MS = 2_000;
/** A connection attempt that hangs longer is abandoned: SYN packets that nobody answers are retried for minutes. */
export const DIAL_WITHIN_MS = 10_000;
/**
 * A socket that closes sooner than this counts as a failed attempt. A relay that accepts a connection only to close it
 * (too many clients, a crash on start) does so at once, and must not be dialled twice a second for ever.
 */
export const SETTLED_AFTER_MS = 2_000;

/** Longer than a round trip across the world: an attempt younger than this may still succeed. */
export const HUNG_AFTER_MS = 1_000;

export class Connection {
  readonly #options: ConnectionOptions;
  #failures = 0;
  #openedAt = 0;
  #heardAt = 0;
  #lastOpenAt: number;
  #state!: ConnectionState;
  /** The deadline for the next sign of life; infinity while none was requested. */
  #answerBy = Number.POSITIVE_INFINITY;
  /** When the pending heartbeat was sent. If several are pending, none is timed. */
  #pingedAt: number | undefined;
  #pongsDue = 0;
  #proof: LinkProof;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#lastOpenAt = options.clock.now();
    this.#proof = this.#newProof();
    this.#dialNow();
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** False when no socket is open: the frame is dropped, and both sides resynchronise by offset later. [CN6] */
  send(frame: WireFrame): boolean {
    if (this.#state.name !== 'open') return false;
    this.#state.socket.send(frame);
    this.#proof.sent(this.#options.clock.now());
    return true;
  }

  /** The network seems to be back, or a person is looking again: connects now instead of waiting. [CN7] */
  retryNow(): void {
    if (this.#state.name === 'waiting') this.#dialNow();
    if (this.#state.name !== 'dialing') return;
    // An attempt started without a network is stuck in retransmissions; a new one gets through.
    if (this.#options.clock.now() - this.#state.since < HUNG_AFTER_MS) return;
    this.#state.socket.close(CLOSE.silent, 'dialling again');
    this.#dialNow();
  }

  /** Asks the other side for a sign of life now, instead of at the next heartbeat. [CN7] */
  probe(): void {
    if (this.#state.name !== 'open') return;
    // An earlier deadline stays in force: repeated probes must not postpone noticing a dead path.
    if (this.#answerBy <= this.#options.clock.now() + PROBE_WITHIN_MS) return;
    this.#ping(this.#state.socket, PROBE_WITHIN_MS);
  }

  /** Abandons an open socket and reconnects. */
  redial(reason: string): void {
    if (this.#state.name === 'open') this.#abandon(this.#state.socket, reason);
  }

  /** There is another credential: reconnects with it, even if the previous one was refused. [CN1] */
  renewed(): void {
    const state = this.#state;
    if (state.name === 'closed' && redialAfter(state.code) !== 'renewed') return;
    if ('socket' in state) state.socket.close(CLOSE.normal, 'another credential');
    this.#dialNow();
  }

  close(code: number = CLOSE.normal, reason = ''): void {
    if (this.#state.name === 'closed') return;
    if ('socket' in this.#state) this.#state.socket.close(code, reason);
    this.#enter({ name: 'closed', code, reason });
  }

  #dialNow(): void {
    const socket = this.#options.dial({
      opened: () => this.#is('dialing', socket) && this.#opened(socket),
      received: (frame) => this.#is('open', socket) && this.#received(frame),
      closed: (code, reason) =>
        (this.#is('dialing', socket) || this.#is('open', socket)) && this.#closed(code, reason),
    });
    const cancel = this.#options.clock.after(DIAL_WITHIN_MS, () => this.#abandon(socket, 'no answer'));
    this.#enter({ name: 'dialing', since: this.#options.clock.now(), socket, cancel });
  }

  /** Events of an abandoned socket are ignored. [CN4] */
  #is(name: 'dialing' | 'open', socket: Socket): boolean {
    return this.#state.name === name && this.#state.socket === socket;
  }

  #opened(socket: Socket): void {
    this.#openedAt = this.#options.clock.now();
    this.#heardAt = this.#openedAt;
    this.#answerBy = Number.POSITIVE_INFINITY;
    this.#pongsDue = 0;
    this.#proof = this.#newProof();
    this.#enter({ name: 'open', socket, cancel: this.#nextPing(socket) });
  }

  #newProof(): LinkProof {
    return new LinkProof(this.#options.clock.now(), this.#options.proveAfterMs);
  }

  #received(frame: WireFrame): void {
    this.#answerBy = Number.POSITIVE_INFINITY;
    this.#heardAt = this.#options.clock.now();
    if (frame === 'pong') return this.#ponged();
    this.#proof.received(this.#heardAt);
    this.#options.received(frame);
  }

  #ponged(): void {
    this.#pongsDue = Math.max(0, this.#pongsDue - 1);
    if (this.#pongsDue > 0 || this.#pingedAt === undefined) return;
    this.#options.answered?.(this.#options.clock.now() - this.#pingedAt);
    this.#pingedAt = undefined;
  }

  #closed(code: number, reason: string, since = this.#options.clock.now()): void {
    const { clock, random, renewable, watched } = this.#options;
    const redial = (this.#options.redial ?? redialAfter)(code);
    if (redial === 'no' || (redial === 'renewed' && !renewable)) {
      this.#enter({ name: 'closed', code, reason });
      return;
    }
    if (this.#state.name === 'open' && clock.now() - this.#openedAt >= SETTLED_AFTER_MS) {
      this.#failures = 0;
      this.#lastOpenAt = clock.now();
    }
    const outage: Outage = {
      failures: this.#failures++,
      elapsedMs: clock.now() - this.#lastOpenAt,
      watched: watched(),
    };
    const delay = retryDelay(outage, random);
    const cancel = clock.after(delay, () => this.#dialNow());
    this.#enter({ name: 'waiting', since, retryAt: clock.now() + delay, code, reason, cancel });
  }

  /** Schedules the next ping one period after the last one, which was `elapsedMs` ago. */
  #nextPing(socket: Socket, elapsedMs = 0): Cancel {
    return this.#options.clock.after(PING_EVERY_MS - elapsedMs, () => this.#beat(socket));
  }

  /** A pong proves that the socket is open, not that the Durable Object still knows it. [CN8] */
  #beat(socket: Socket): void {
    const { clock, question } = this.#options;
    const next = question === undefined ? 'nothing' : this.#proof.next(clock.now());
    if (next === 'give up') return this.#abandon(socket, 'pongs, but no answer');
    if (next === 'ask' && question !== undefined) socket.send(question());
    this.#ping(socket, PONG_WITHIN_MS);
  }

  /** Any frame is a sign of life; a ping only makes sure that one is due. [CN3] */
  #ping(socket: Socket, withinMs: number): void {
    const { clock } = this.#options;
    this.#answerBy = clock.now() + withinMs;
    this.#pingedAt = clock.now();
    this.#pongsDue += 1;
    socket.send('ping');
    const cancel = clock.after(withinMs, () => {
      if (this.#answerBy !== Number.POSITIVE_INFINITY) this.#abandon(socket, 'no sign of life');
      else this.#replaceTimer(socket, this.#nextPing(socket, withinMs));
    });
    this.#replaceTimer(socket, cancel);
  }

  #replaceTimer(socket: Socket, cancel: Cancel): void {
    if (this.#state.name !== 'open') {
      cancel();
      return;
    }
    this.#state.cancel();
    this.#state = { name: 'open', socket, cancel };
  }

  /** A half-open socket never reports that it is closed, so we close it. */
  #abandon(socket: Socket, reason: string): void {
    socket.close(CLOSE.silent, reason);
    this.#closed(CLOSE.abnormal, reason, this.#heardAt);
  }

  #enter(next: ConnectionState): void {
    if (this.#state !== undefined && 'cancel' in this.#state) this.#state.cancel();
    this.#state = next;
    this.#options.stateChanged(next);
  }
}

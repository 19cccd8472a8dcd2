/**
 * Keeps one socket to the relay alive. The browser, the command line and the agent all use it; each
 * supplies its own `dial`. Rules CN1 to CN8.
 *
 *            timer, retryNow()     opens
 *   waiting ─────────────────► dialing ─────────► open
 *      ▲                          │ closes          │ closes, or no pong in time
 *      └──────────────────────────┴─────────────────┘
 *                                 └── closed: dialling again cannot help, or close(). Final, unless a credential was refused
 *                                     and renewed() says that there is another.
 *
 * Nothing is queued while the socket is down: both sides resynchronise by offset when it returns, and
 * keys typed at a dead screen must not reach a live shell later.
 */
import { type Outage, retryDelay } from './backoff.ts';
import type { Cancel, Clock } from './clock.ts';
import { CLOSE, type Redial, redialAfter } from './close-codes.ts';
import { LinkProof } from './link-proof.ts';

export type WireFrame = string | Uint8Array<ArrayBuffer>;

/** One attempt at a socket. `close` may be called at any time and is not answered by `closed`. */
export interface Socket {
  send(frame: WireFrame): void;
  close(code: number, reason: string): void;
}

export interface SocketEvents {
  opened(): void;
  received(frame: WireFrame): void;
  /** The socket is gone, or could not be had. `reason` is a sentence when the other side gave one. */
  closed(code: number, reason: string): void;
}

/** Starts an attempt and returns at once; events come later, never from inside the call. */
export type Dial = (events: SocketEvents) => Socket;

export type ConnectionState =
  | {
      readonly name: 'waiting';
      /** When the other side was last known to be there: a path that dies says nothing, and is found out later. */
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
  /** Whether a person is looking right now; asked before each wait. */
  readonly watched: () => boolean;
  /** Whether the next dial may find another credential (a token file re-read, a login renewed). */
  readonly renewable: boolean;
  /** What a close code means for dialling again, where it differs from the table. */
  readonly redial?: (code: number) => Redial;
  readonly stateChanged: (state: ConnectionState) => void;
  readonly received: (frame: WireFrame) => void;
  /** The relay answered a heartbeat, this long after it was sent. */
  readonly answered?: (roundTripMs: number) => void;
  /** A question that the object itself answers, not the platform for it; without one nothing is proven. [CN8] */
  readonly question?: () => WireFrame;
  readonly proveAfterMs?: number;
}

/** Well below the shortest idle time-out seen in proxies (30 s), with room for one lost ping. */
export const PING_EVERY_MS = 8_000;
/** Two slow round trips across the world; with the wait before it a dead path is noticed within 13 s. */
export const PONG_WITHIN_MS = 5_000;
/** A probe is asked for when a person has just come back and waits; they are not kept waiting long. */
export const PROBE_WITHIN_MS = 2_000;
/** A connection attempt that hangs longer is abandoned: SYNs into a black hole take minutes. */
export const DIAL_WITHIN_MS = 10_000;
/**
 * A socket that closes sooner than this counts as a failed try. A relay that lets us in only to turn us
 * away (too many, crashing on start) does so at once, and must not be dialled twice a second for ever.
 */
export const SETTLED_AFTER_MS = 2_000;

/** Longer than a round trip across the world: an attempt younger than this may be about to succeed. */
export const HUNG_AFTER_MS = 1_000;

export class Connection {
  readonly #options: ConnectionOptions;
  #failures = 0;
  #openedAt = 0;
  #heardAt = 0;
  #lastOpenAt: number;
  #state!: ConnectionState;
  /** When a sign of life is due; never, while none has been asked for. */
  #answerBy = Number.POSITIVE_INFINITY;
  /** When the heartbeat was sent whose answer is due; several may be, then none is timed. */
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

  /** False when there is no open socket: the frame is gone, and resuming by offset makes up for it. [CN6] */
  send(frame: WireFrame): boolean {
    if (this.#state.name !== 'open') return false;
    this.#state.socket.send(frame);
    this.#proof.sent(this.#options.clock.now());
    return true;
  }

  /** The network seems to be back, or a person is looking again: do not sit out the wait. [CN7] */
  retryNow(): void {
    if (this.#state.name === 'waiting') this.#dialNow();
    if (this.#state.name !== 'dialing') return;
    // An attempt begun while there was no network hangs in its retransmissions; a new one gets through.
    if (this.#options.clock.now() - this.#state.since < HUNG_AFTER_MS) return;
    this.#state.socket.close(CLOSE.silent, 'dialling again');
    this.#dialNow();
  }

  /** Asks the other side for a sign of life now, instead of at the next heartbeat. [CN7] */
  probe(): void {
    if (this.#state.name !== 'open') return;
    // An answer due sooner stays due: asking again and again must not put off noticing a dead path.
    if (this.#answerBy <= this.#options.clock.now() + PROBE_WITHIN_MS) return;
    this.#ping(this.#state.socket, PROBE_WITHIN_MS);
  }

  /** Gives the socket up although it did not close, and dials again. */
  redial(reason: string): void {
    if (this.#state.name === 'open') this.#abandon(this.#state.socket, reason);
  }

  /** There is another credential: dials with it, also when the one before was refused. [CN1] */
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

  /** A socket we have moved on from may still speak; nobody listens. [CN4] */
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

  /** The next one is due a period after the last, `elapsedMs` ago. */
  #nextPing(socket: Socket, elapsedMs = 0): Cancel {
    return this.#options.clock.after(PING_EVERY_MS - elapsedMs, () => this.#beat(socket));
  }

  /** Pongs prove that a socket is there, not that anybody knows it. [CN8] */
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

  /** A half-open socket never says that it is closed; we do. */
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

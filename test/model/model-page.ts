/** One page of the model: the real client, its typed input, and its current and abandoned sockets. */

import type { AttachedSession } from '../../client/attached-session.ts';
import { WorkspaceClient } from '../../client/workspace-client.ts';
import type { WireFrame } from '../../protocol/connection.ts';
import { decodeHeader } from '../../protocol/frame.ts';
import { OFFLINE_INPUT_MAX_BYTES, OFFLINE_INPUT_MAX_MS } from '../../protocol/limits.ts';
import type { ClientRole } from '../../protocol/roles.ts';
import type { FakeClock } from '../support/fake-clock.ts';
import { FakeNetwork, type SocketPair } from '../support/socket-pair.ts';
import { Shown } from './model-screen.ts';

const SIZE = { cols: 80, rows: 24 };
/** Printable characters, half of them for each page: what a program reads says who typed it. */
const ALPHABET_LENGTH = 45;

/** A client's socket as the relay knows it, with the frames in flight in both directions. */
export class PageSocket {
  readonly pair: SocketPair;
  readonly inbound: WireFrame[] = [];
  #heard = 0;

  constructor(pair: SocketPair) {
    this.pair = pair;
  }

  /** The next message of the page that was not received yet. */
  next(): WireFrame | undefined {
    const frame = this.pair.heard[this.#heard];
    if (frame !== undefined) this.#heard++;
    return frame;
  }

  /** What the page has sent and the relay has not received. */
  get unheard(): readonly WireFrame[] {
    return this.pair.heard.slice(this.#heard);
  }

  get hasSpoken(): boolean {
    return this.#heard < this.pair.heard.length;
  }
}

/** What a page shows of one session. */
interface Seat {
  readonly session: AttachedSession;
  readonly screen: Shown;
  /** Input that was typed and not discarded, for the life of the agent it was last attached to. */
  typed: string;
  epoch: string | undefined;
  /** Whether it was attached before: input while disconnected is meant for a session that was shown. */
  hasBeenLive: boolean;
  /** How much input has not left the page because it is disconnected, and since when. */
  kept: number;
  keptSince: number;
}

export class ModelPage {
  readonly network = new FakeNetwork();
  readonly client: WorkspaceClient;
  seat: Seat | undefined;
  socket: PageSocket | undefined;
  /** Abandoned by the page; the relay does not know yet, and receives what was sent on them before. */
  readonly abandoned: PageSocket[] = [];
  readonly role: ClientRole;
  /** Output and marks that have arrived, shown or not. */
  readonly heard = { outputBytes: 0, marks: 0 };
  /** The last replay that was announced on this link, and what has arrived since. */
  replay: WireFrame[] = [];
  /** Input for earlier lives of the agent. */
  readonly typedBefore = new Map<string, string>();
  readonly #clock: FakeClock;
  readonly #firstCode: number;
  /** Every other page has the screen first and what is above it later. */
  readonly #history: 'all' | 'later';
  #keys = 0;
  #resizes = 0;
  #unpacking: { readonly done: () => void; readonly replay: readonly WireFrame[] }[] = [];

  constructor(index: number, clock: FakeClock, role: ClientRole) {
    this.role = role;
    this.#clock = clock;
    this.#firstCode = 33 + index * ALPHABET_LENGTH;
    this.#history = index % 2 === 0 ? 'all' : 'later';
    this.client = new WorkspaceClient({
      dial: this.network.dial,
      inflate: (bytes) =>
        new Promise((resolve) => this.#unpacking.push({ done: () => resolve(bytes), replay: this.replay })),
      clock,
      random: () => 0.5,
      watched: () => true,
      instance: `page-${index}`,
    });
  }

  /** Snapshots that have arrived are inflated. */
  unpack(): void {
    for (const { done } of this.#unpacking.splice(0)) done();
  }

  /** The snapshots that have arrived and are not inflated yet: whether each is of the last replay. */
  get unpacking(): boolean[] {
    return this.#unpacking.map(({ replay }) => replay === this.replay);
  }

  /** Shows a session, in place of one that is gone. */
  open(id: string): void {
    if (this.seat?.session.id === id) return;
    this.#show(id);
  }

  /** Leaves the session and attaches to it anew, with an empty screen. Unsent input would be lost. */
  attachAgain(): void {
    if (this.seat?.typed === '' && this.seat.session.unsentBytes === 0) this.#show(this.seat.session.id);
  }

  #show(id: string): void {
    if (this.seat !== undefined) {
      this.client.detach(this.seat.session.id);
      this.#close(this.seat);
    }
    const screen = new Shown();
    const session = this.client.attach(id, SIZE, screen, { history: this.#history });
    this.seat = { session, screen, typed: '', epoch: undefined, hasBeenLive: false, kept: 0, keptSince: 0 };
  }

  /** Its window has another size every time. */
  resizes(): void {
    this.seat?.session.resize({ cols: SIZE.cols + ++this.#resizes, rows: SIZE.rows });
  }

  types(length: number): void {
    const { seat } = this;
    if (seat === undefined || seat.session.state.name === 'gone' || this.role === 'viewer') return;
    const codes = Array.from({ length }, () => this.#firstCode + (this.#keys++ % ALPHABET_LENGTH));
    this.#look(seat);
    const isCutOff = seat.session.handle === undefined;
    const isKept = seat.session.type(Uint8Array.from(codes));
    if (isCutOff && seat.hasBeenLive && isKept !== seat.kept + length <= OFFLINE_INPUT_MAX_BYTES)
      throw new Error(
        `${seat.kept} and ${length} bytes typed while cut off were ${isKept ? '' : 'not '}kept`,
      );
    if (isKept) seat.typed += String.fromCharCode(...codes);
    if (!isKept || !isCutOff) return;
    if (seat.kept === 0) seat.keptSince = this.#clock.now();
    seat.kept += length;
  }

  /** Once attached, whatever was kept has left the page. */
  #look(seat: Seat): void {
    if (seat.session.handle !== undefined) seat.kept = 0;
    if (seat.session.state.name === 'live') seat.hasBeenLive = true;
  }

  /** The part of a program's input that this page's user typed. */
  shareOf(read: string): string {
    const isOurs = (code: number) => code >= this.#firstCode && code < this.#firstCode + ALPHABET_LENGTH;
    return [...read].filter((char) => isOurs(char.charCodeAt(0))).join('');
  }

  /** Time passes. Input that is too old is discarded, and the user is told how much. [IN7] */
  waits(ms: number, pass: () => void): void {
    const { seat } = this;
    if (seat === undefined) return pass();
    this.#look(seat);
    const before = seat.session.discardedBytes;
    const due =
      seat.hasBeenLive && seat.session.handle === undefined && ms >= OFFLINE_INPUT_MAX_MS ? seat.kept : 0;
    pass();
    const discarded = seat.session.discardedBytes - before;
    if (discarded > 0) seat.typed = seat.typed.slice(0, -discarded);
    seat.kept -= discarded;
    if (discarded > 0 && this.#clock.now() - seat.keptSince < OFFLINE_INPUT_MAX_MS)
      throw new Error(`${discarded} bytes were taken back too soon`);
    if (discarded < due) throw new Error(`${due} bytes are too old, and ${discarded} were taken back`);
  }

  /** Something arrives; it may be about another life of the agent, for which nothing was typed. */
  receives(frame: WireFrame): void {
    if (this.socket?.pair.state !== 'open') return;
    const { seat } = this;
    const unsent = seat?.session.unsentBytes ?? 0;
    this.#count(frame);
    this.socket.pair.send(frame);
    if (seat !== undefined) this.#look(seat);
    if (seat === undefined || seat.session.epoch === seat.epoch) return;
    if (seat.epoch !== undefined) {
      if (seat.session.discardedBytes !== unsent)
        throw new Error(`${unsent} bytes given up, and ${seat.session.discardedBytes} told`);
      this.#close(seat);
      seat.typed = '';
    }
    seat.epoch = seat.session.epoch;
  }

  #count(frame: WireFrame): void {
    const { type } = typeof frame === 'string' && frame !== 'pong' ? JSON.parse(frame) : {};
    if (type === 'scrollback') this.replay = [frame];
    else if (type === 'agent_state') this.replay = [];
    else if (this.replay.length > 0) this.replay.push(frame);
    if (typeof frame === 'string') this.heard.marks += Number(type === 'session_activity');
    else if (decodeHeader(frame).kind === 'output') this.heard.outputBytes += frame.length;
  }

  #close({ epoch, typed }: Seat): void {
    if (epoch !== undefined) this.typedBefore.set(epoch, typed);
  }
}

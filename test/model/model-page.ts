/** One page of the model: the real client, what its person typed, and the sockets it has or has given up. */
import type { WireFrame } from '../../protocol/connection.ts';
import type { AttachedSession } from '../../web/client/attached-session.ts';
import { WorkspaceClient } from '../../web/client/workspace-client.ts';
import type { FakeClock } from '../support/fake-clock.ts';
import { FakeNetwork, type SocketPair } from '../support/socket-pair.ts';
import { Shown } from './model-screen.ts';

const SIZE = { cols: 80, rows: 24 };
/** Printable characters, half of them for each page: what a program reads says who typed it. */
const ALPHABET_LENGTH = 45;

/** A client's socket as the relay knows it, with what is on its way in both directions. */
export class PageSocket {
  readonly pair: SocketPair;
  readonly inbound: WireFrame[] = [];
  #heard = 0;

  constructor(pair: SocketPair) {
    this.pair = pair;
  }

  /** The next thing the page said that has not been heard. */
  next(): WireFrame | undefined {
    const frame = this.pair.heard[this.#heard];
    if (frame !== undefined) this.#heard++;
    return frame;
  }

  get hasSpoken(): boolean {
    return this.#heard < this.pair.heard.length;
  }
}

/** What a page shows of one session. */
interface Seat {
  readonly session: AttachedSession;
  readonly screen: Shown;
  /** What was typed and not taken back, for the life of the agent it was last attached to. */
  typed: string;
  epoch: string | undefined;
}

export class ModelPage {
  readonly network = new FakeNetwork();
  readonly client: WorkspaceClient;
  seat: Seat | undefined;
  socket: PageSocket | undefined;
  /** Given up by the page; the relay does not know yet, and hears what was said on them before. */
  readonly abandoned: PageSocket[] = [];
  /** What was typed for lives of the agent that are over. */
  readonly typedBefore = new Map<string, string>();
  readonly #firstCode: number;
  /** Every other page has the screen first and what is above it later. */
  readonly #history: 'all' | 'later';
  #keys = 0;
  #unpacking: (() => void)[] = [];

  constructor(index: number, clock: FakeClock) {
    this.#firstCode = 33 + index * ALPHABET_LENGTH;
    this.#history = index % 2 === 0 ? 'all' : 'later';
    this.client = new WorkspaceClient({
      dial: this.network.dial,
      inflate: (bytes) => new Promise((resolve) => this.#unpacking.push(() => resolve(bytes))),
      clock,
      random: () => 0.5,
      watched: () => true,
      instance: `page-${index}`,
    });
  }

  /** Snapshots that have arrived are unpacked. */
  unpack(): void {
    for (const done of this.#unpacking.splice(0)) done();
  }

  /** Shows a session, in place of one that is gone. */
  open(id: string): void {
    if (this.seat?.session.id === id) return;
    if (this.seat !== undefined) {
      this.client.detach(this.seat.session.id);
      this.#close(this.seat);
    }
    const screen = new Shown();
    const session = this.client.attach(id, SIZE, screen, { history: this.#history });
    this.seat = { session, screen, typed: '', epoch: undefined };
  }

  types(length: number): void {
    const { seat } = this;
    if (seat === undefined || seat.session.state.name === 'gone') return;
    const codes = Array.from({ length }, () => this.#firstCode + (this.#keys++ % ALPHABET_LENGTH));
    if (seat.session.type(Uint8Array.from(codes))) seat.typed += String.fromCharCode(...codes);
  }

  /** Of what a program has read, what this page's person typed. */
  shareOf(read: string): string {
    const isOurs = (code: number) => code >= this.#firstCode && code < this.#firstCode + ALPHABET_LENGTH;
    return [...read].filter((char) => isOurs(char.charCodeAt(0))).join('');
  }

  /** Time passes. What has grown too old is taken back, and the person is told how much that was. */
  waits(pass: () => void): void {
    const before = this.seat?.session.discardedBytes ?? 0;
    pass();
    const { seat } = this;
    const discarded = (seat?.session.discardedBytes ?? 0) - before;
    if (seat !== undefined && discarded > 0) seat.typed = seat.typed.slice(0, -discarded);
  }

  /** Something arrives; it may be news of another life of the agent, for which nothing was typed. */
  receives(frame: WireFrame): void {
    if (this.socket?.pair.state !== 'open') return;
    const { seat } = this;
    const unsent = seat?.session.unsentBytes ?? 0;
    this.socket.pair.send(frame);
    if (seat === undefined || seat.session.epoch === seat.epoch) return;
    if (seat.epoch !== undefined) {
      if (seat.session.discardedBytes !== unsent)
        throw new Error(`${unsent} bytes given up, and ${seat.session.discardedBytes} told`);
      this.#close(seat);
      seat.typed = '';
    }
    seat.epoch = seat.session.epoch;
  }

  #close({ epoch, typed }: Seat): void {
    if (epoch !== undefined) this.typedBefore.set(epoch, typed);
  }
}

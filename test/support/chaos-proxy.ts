/**
 * A TCP proxy that simulates network faults: resets, silence in one direction or both, ends that vanish without
 * closing, slow links, segments of one byte. Loopback only.
 *
 * Bytes held back are delivered when the silence ends, as with TCP retransmissions; only a reset or a vanished end
 * loses any.
 */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { Lane, type LinkShape } from './chaos-lane.ts';

/** `up` is towards the relay. */
export type Direction = 'up' | 'down';

interface Link {
  readonly near: Socket;
  readonly far: Socket;
  readonly lanes: Readonly<Record<Direction, Lane>>;
}

export class ChaosProxy implements AsyncDisposable {
  readonly url: URL;
  readonly #server: Server;
  readonly #links = new Set<Link>();
  /** Sockets whose other end has disappeared without notice. */
  readonly #widows = new Set<Socket>();
  readonly #held = new Set<Direction>();
  #shape: LinkShape = {};

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.url = new URL(`http://127.0.0.1:${port}`);
  }

  static async to(target: URL): Promise<ChaosProxy> {
    const server = createServer({ allowHalfOpen: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const proxy = new ChaosProxy(server, port);
    server.on('connection', (near) => proxy.#join(near, Number(target.port)));
    return proxy;
  }

  /** Resets every connection; bytes in transit are lost. */
  cut(): void {
    for (const { near, far } of this.#links) for (const socket of [near, far]) socket.resetAndDestroy();
  }

  /** Nothing passes in this direction until `release`, including on connections made in the meantime. */
  hold(direction: Direction): void {
    this.#held.add(direction);
    for (const { lanes } of this.#links) lanes[direction].hold();
  }

  release(): void {
    this.#held.clear();
    for (const { lanes } of this.#links) for (const lane of Object.values(lanes)) lane.release();
  }

  /** Resets one end of every connection; the other stays open and never receives anything again. */
  halfOpen(survivor: 'near' | 'far'): void {
    for (const link of this.#links) {
      this.#links.delete(link);
      for (const lane of Object.values(link.lanes)) lane.stop();
      const [kept, lost] = survivor === 'near' ? [link.near, link.far] : [link.far, link.near];
      this.#widows.add(kept);
      kept.removeAllListeners('close');
      kept.on('close', () => this.#widows.delete(kept));
      kept.resume();
      lost.removeAllListeners('close');
      lost.resetAndDestroy();
    }
  }

  /** Sets how the link behaves from now on; `{}` is a plain link. */
  shape(shape: LinkShape): void {
    this.#shape = shape;
    for (const { lanes } of this.#links) for (const lane of Object.values(lanes)) lane.shape(shape);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    for (const socket of this.#widows) socket.resetAndDestroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(near: Socket, port: number): void {
    const far = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const lanes = { up: new Lane(near, far, this.#shape), down: new Lane(far, near, this.#shape) };
    const link = { near, far, lanes };
    this.#links.add(link);
    for (const direction of this.#held) lanes[direction].hold();
    for (const socket of [near, far]) {
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#links.delete(link);
        for (const lane of Object.values(lanes)) lane.stop();
        near.destroy();
        far.destroy();
      });
    }
  }
}

/** A TCP proxy that can cut, freeze and slow down connections, so that both ends see such a network. Loopback only. */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { type PathShape, shapedPipe } from './shaped-path.ts';

/** The shape of each direction; without one it is as fast as the machine. */
export interface ProxyShape {
  readonly toTarget?: PathShape;
  readonly fromTarget?: PathShape;
}

export class CuttingProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [near: Socket, far: Socket]>();
  readonly #stranded = new Set<Socket>();
  readonly url: URL;
  readonly #shape: ProxyShape;
  #admit: (near: Socket) => void = () => {};
  #isDown = false;
  /** Connections accepted while frozen; they hang. */
  #held: Socket[] | null = null;

  private constructor(server: Server, port: number, shape: ProxyShape) {
    this.#server = server;
    this.#shape = shape;
    this.url = new URL(`http://127.0.0.1:${port}`);
  }

  static async to(target: URL, shape: ProxyShape = {}): Promise<CuttingProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const proxy = new CuttingProxy(
      server,
      typeof address === 'object' && address !== null ? address.port : 0,
      shape,
    );
    const join = (near: Socket) => proxy.#join(near, connect(Number(target.port), '127.0.0.1'));
    proxy.#admit = join;
    server.on('connection', (near) => {
      if (proxy.#isDown) near.resetAndDestroy();
      else if (proxy.#held !== null) proxy.#held.push(near.pause());
      else join(near);
    });
    return proxy;
  }

  /** Cuts all connections and refuses new ones. */
  down(): void {
    this.#isDown = true;
    this.cut();
  }

  up(): void {
    this.#isDown = false;
  }

  /** Nothing passes and nobody is informed: a black hole, like a network that lost its route. */
  freeze(): void {
    if (this.#shape.toTarget ?? this.#shape.fromTarget) throw new Error('a slow path cannot be frozen');
    this.#held ??= [];
    for (const [near, far] of this.#pairs) {
      near.unpipe(far).pause();
      far.unpipe(near).pause();
    }
  }

  /** Delivers late what was in transit. */
  thaw(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const [near, far] of this.#pairs) {
      near.pipe(far);
      far.pipe(near);
    }
    for (const near of held) if (!near.destroyed) this.#admit(near);
  }

  /**
   * Existing connections receive nothing any more and are not informed; new ones work, as after a change of address.
   */
  strand(): void {
    for (const [near, far] of this.#pairs) {
      near.unpipe(far).pause();
      far.unpipe(near).pause();
      this.#stranded.add(near).add(far);
    }
    this.#pairs.clear();
  }

  /** Resets every connection; bytes in transit are lost. */
  cut(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.resetAndDestroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of [...(this.#held ?? []), ...this.#stranded]) socket.destroy();
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(near: Socket, far: Socket): void {
    const pair = [near, far] as const;
    this.#pairs.add(pair);
    carry(near, far, this.#shape.toTarget);
    carry(far, near, this.#shape.fromTarget);
    for (const socket of pair) {
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#pairs.delete(pair);
        near.destroy();
        far.destroy();
      });
    }
  }
}

function carry(from: Socket, to: Socket, shape: PathShape | undefined): void {
  if (shape === undefined) from.pipe(to);
  else shapedPipe(from, to, shape);
}

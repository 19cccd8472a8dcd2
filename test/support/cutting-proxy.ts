/** A TCP proxy that can be told to cut, and to be slow, so that both ends see such a network. Loopback only. */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { type PathShape, shapedPipe } from './shaped-path.ts';

/** Each direction for itself; without a shape it is as fast as the machine. */
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
  /** Those that came while it was frozen, and hang. */
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

  /** Nobody gets through, and nobody who tries is let in. */
  down(): void {
    this.#isDown = true;
    this.cut();
  }

  up(): void {
    this.#isDown = false;
  }

  /** Nothing gets through and nobody is told: a black hole, as a network that lost its way. */
  freeze(): void {
    if (this.#shape.toTarget ?? this.#shape.fromTarget) throw new Error('a slow path cannot be frozen');
    this.#held ??= [];
    for (const [near, far] of this.#pairs) {
      near.unpipe(far).pause();
      far.unpipe(near).pause();
    }
  }

  /** What was on its way arrives late. */
  thaw(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const [near, far] of this.#pairs) {
      near.pipe(far);
      far.pipe(near);
    }
    for (const near of held) if (!near.destroyed) this.#admit(near);
  }

  /** Whoever is connected hears nothing any more and is not told; whoever dials anew gets through: a new address. */
  strand(): void {
    for (const [near, far] of this.#pairs) {
      near.unpipe(far).pause();
      far.unpipe(near).pause();
      this.#stranded.add(near).add(far);
    }
    this.#pairs.clear();
  }

  /** Resets every connection; what was on its way is lost. */
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

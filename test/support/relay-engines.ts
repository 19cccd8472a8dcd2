/** The engines of a test relay: workerd with the product's own configuration, or Miniflare, which can evict objects. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Miniflare, MiniflareOptions } from 'miniflare';
import { type Relay, type RelayOptions, startRelay } from '../../cli/relay/relay.ts';
import { fetchOnce } from './fetch-once.ts';
import { miniflareOptions } from './miniflare-relay.ts';
import { listenerOn } from './process-table.ts';

type EngineOptions = Omit<RelayOptions, 'port' | 'tls' | 'modules'>;

export interface RelayEngine {
  readonly pid: number;
  /** Port 0 selects any free one. */
  start(port: number): Promise<URL>;
  deploy(port: number, version: string): Promise<void>;
  kill(): Promise<void>;
  evict(name: string, webSockets: 'hibernate' | 'close', className?: 'Workspace' | 'Fleet'): Promise<void>;
  stop(): Promise<void>;
}

/** The built Worker, with another version number if one is given. */
async function product(version?: string): Promise<string> {
  const built = await readFile(new URL('../../dist/worker/index.js', import.meta.url), 'utf8');
  if (version === undefined) return built;
  const other = built.replace(/var PRODUCT_VERSION = ".*";/, `var PRODUCT_VERSION = "${version}";`);
  if (other === built) throw new Error('invariant: the built Worker names its version');
  return other;
}

export class WorkerdEngine implements RelayEngine {
  readonly #entry: string;
  readonly #options: EngineOptions;
  #relay: Relay | undefined;

  /** `entry` is a module that imports the product from `./product.js`. */
  constructor(entry: string, options: EngineOptions) {
    this.#entry = entry;
    this.#options = options;
  }

  get pid(): number {
    return this.#relay?.pid ?? -1;
  }

  async start(port: number, version?: string): Promise<URL> {
    const modules = await Promise.all([
      this.#write('entry.js', this.#entry),
      this.#write('product.js', await product(version)),
    ]);
    this.#relay = await startRelay({ ...this.#options, port, modules });
    return this.#relay.url;
  }

  async #write(name: string, code: string): Promise<{ name: string; file: string }> {
    const file = join(this.#options.stateDir, name);
    await writeFile(file, code);
    return { name, file };
  }

  async deploy(port: number, version: string): Promise<void> {
    await this.stop();
    await this.start(port, version);
  }

  async kill(): Promise<void> {
    process.kill(this.pid, 'SIGKILL');
    await this.#relay?.ended;
  }

  /** Aborting an object drops its sockets too. Only Miniflare can make one hibernate. */
  async evict(workspace: string, webSockets: 'hibernate' | 'close'): Promise<void> {
    if (webSockets === 'hibernate' || this.#relay === undefined)
      throw new Error(
        'invariant: a test that hibernates objects runs its relay on Miniflare (TestRelay.start)',
      );
    await fetchOnce(new URL(`/test/reset?workspace=${workspace}`, this.#relay.url));
  }

  async stop(): Promise<void> {
    await this.#relay?.stop();
  }
}

export class MiniflareEngine implements RelayEngine {
  readonly #entry: string;
  readonly #options: EngineOptions;
  #miniflare: Miniflare | undefined;
  #port = 0;

  constructor(entry: string, options: EngineOptions) {
    this.#entry = entry;
    this.#options = options;
  }

  get pid(): number {
    return listenerOn(this.#port);
  }

  async start(port: number): Promise<URL> {
    // Loaded only when used: that takes most of a second, and few test files use it.
    const { Miniflare } = await import('miniflare');
    this.#miniflare = new Miniflare(await this.#with(port));
    const url = await this.#miniflare.ready;
    this.#port = Number(url.port);
    return url;
  }

  async deploy(port: number, version: string): Promise<void> {
    await this.#miniflare?.setOptions(await this.#with(port, version));
    await this.#miniflare?.ready;
  }

  async kill(): Promise<void> {
    process.kill(this.pid, 'SIGKILL');
    await this.#miniflare?.dispose();
  }

  async evict(
    name: string,
    webSockets: 'hibernate' | 'close',
    className: 'Workspace' | 'Fleet' = 'Workspace',
  ): Promise<void> {
    try {
      await this.#miniflare?.unsafeEvictDurableObject('holdfast', className, { name, webSockets });
    } catch (error) {
      // An object that is already asleep counts as evicted.
      if (!/not currently running/.test((error as Error).message)) throw error;
    }
  }

  async stop(): Promise<void> {
    await this.#miniflare?.dispose();
  }

  async #with(port: number, version?: string): Promise<MiniflareOptions> {
    return {
      ...(await miniflareOptions({ ...this.#options, port })),
      modulesRoot: '/',
      modules: [
        { type: 'ESModule', path: '/entry.js', contents: this.#entry },
        { type: 'ESModule', path: '/product.js', contents: await product(version) },
      ],
    } as MiniflareOptions;
  }
}

/**
 * A real relay for a test: the built bundle on workerd, on a free port, with its storage in a temporary
 * directory, and two things a user does not have: it can be evicted, and it says how often it was built.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Miniflare, type MiniflareOptions } from 'miniflare';
import { mintToken } from '../../cli/mint-token.ts';
import { miniflareOptions } from '../../cli/relay.ts';
import type { Role } from '../../protocol/messages.ts';

const SECRET = 'a secret for tests that has more than thirty-two bytes';
const WORKSPACE = 'test';
const HOUR_S = 3600;

/** Wraps the product's entry: counts the object's constructions without a line of code in the product. */
const COUNTING_ENTRY = `
import app, { Workspace as Product } from './product.js';
let constructions = 0;
export class Workspace extends Product {
  constructor(ctx, env) { super(ctx, env); constructions++; }
}
export default {
  fetch(request, env, ctx) {
    if (new URL(request.url).pathname === '/test/constructions') return Response.json(constructions);
    return app.fetch(request, env, ctx);
  },
};`;

export class TestRelay implements AsyncDisposable {
  readonly url: URL;
  readonly workspace = WORKSPACE;
  readonly #miniflare: Miniflare;
  readonly #stateDir: string;
  readonly logs: string[];

  private constructor(url: URL, miniflare: Miniflare, stateDir: string, logs: string[]) {
    this.url = url;
    this.#miniflare = miniflare;
    this.#stateDir = stateDir;
    this.logs = logs;
  }

  static async start(): Promise<TestRelay> {
    const stateDir = await mkdtemp(join(tmpdir(), 'holdfast-relay-'));
    const logs: string[] = [];
    const miniflare = new Miniflare(await testOptions(stateDir, (line) => logs.push(line)));
    return new TestRelay(await miniflare.ready, miniflare, stateDir, logs);
  }

  token(role: Role, workspace = WORKSPACE, lifetimeSeconds = HOUR_S): Promise<string> {
    return mintToken({ workspace, role, lifetimeSeconds }, SECRET);
  }

  async bearer(role: Role, workspace = WORKSPACE): Promise<Record<string, string>> {
    return { Authorization: `Bearer ${await this.token(role, workspace)}` };
  }

  /** How many workspace objects were constructed in this relay's life. */
  async constructions(): Promise<number> {
    return (await fetch(new URL('/test/constructions', this.url))).json() as Promise<number>;
  }

  /** `hibernate` keeps the sockets, as an idle object does; `close` drops them, as a deploy does. */
  evict(webSockets: 'hibernate' | 'close'): Promise<void> {
    return this.#miniflare.unsafeEvictDurableObject('holdfast', 'Workspace', { name: WORKSPACE, webSockets });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#miniflare.dispose();
    await rm(this.#stateDir, { recursive: true, force: true });
  }
}

async function testOptions(stateDir: string, log: (line: string) => void): Promise<MiniflareOptions> {
  const options = await miniflareOptions({ host: '127.0.0.1', port: 0, stateDir, secret: SECRET, log });
  const product = await readFile(new URL('../../dist/worker/index.js', import.meta.url), 'utf8');
  return {
    ...options,
    modulesRoot: '/',
    modules: [
      { type: 'ESModule', path: '/entry.js', contents: COUNTING_ENTRY },
      { type: 'ESModule', path: '/product.js', contents: product },
    ],
  } as MiniflareOptions;
}

/**
 * The built relay on Miniflare, which can evict a Durable Object on request. For tests and benchmarks only: Miniflare
 * opens a second, unauthenticated port, so the product does not use it.
 */
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { MiniflareOptions } from 'miniflare';
import type { RelayOptions } from '../../cli/relay/relay.ts';
import { readRelayConfig } from '../../cli/relay/relay-config.ts';
import { PROJECT } from '../../node/project.ts';

const dist = new URL('dist/', PROJECT);

export async function miniflareOptions(
  options: Omit<RelayOptions, 'tls' | 'modules'>,
): Promise<MiniflareOptions> {
  const { Log, LogLevel } = await import('miniflare');
  const config = await readRelayConfig(new URL('wrangler.toml', PROJECT));
  const exceptions = config.runWorkerFirst.filter((rule) => rule.startsWith('!'));
  const settings = Object.entries(options.settings ?? {}).filter(([, value]) => value !== undefined);
  return {
    host: options.host,
    port: options.port,
    name: config.name,
    modules: [{ type: 'ESModule', path: fileURLToPath(new URL('worker/index.js', dist)) }],
    modulesRoot: fileURLToPath(new URL('worker/', dist)),
    compatibilityDate: config.compatibilityDate,
    compatibilityFlags: [...config.compatibilityFlags],
    bindings: { RELAY_SECRET: options.secret, ...(Object.fromEntries(settings) as Record<string, string>) },
    durableObjects: Object.fromEntries(
      config.durableObjects.map(({ binding, className }) => [binding, { className, useSQLite: true }]),
    ),
    defaultPersistRoot: options.stateDir,
    assets: {
      directory: fileURLToPath(new URL('web/', dist)),
      binding: config.assetsBinding,
      routerConfig: {
        has_user_worker: true,
        static_routing: {
          user_worker: config.runWorkerFirst.filter((rule) => !rule.startsWith('!')),
          asset_worker: exceptions.map((rule) => rule.slice(1)),
        },
      },
      assetConfig: { html_handling: 'none', not_found_handling: 'none' },
    },
    // No requests to other hosts: no request metadata, no telemetry.
    cf: false,
    telemetry: { enabled: false },
    log: new Log(LogLevel.ERROR),
    logRequests: false,
    handleRuntimeStdio: (stdout: Readable, stderr: Readable) => {
      for (const stream of [stdout, stderr]) {
        stream.setEncoding('utf8');
        stream.on('data', (text: string) => options.log?.(text.trimEnd()));
      }
    },
  };
}

/**
 * The relay on this machine: the deployed bundle on workerd, with its storage in a directory. The one
 * doorway to Miniflare.
 */
import { createServer } from 'node:net';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Log, LogLevel, Miniflare, type MiniflareOptions } from 'miniflare';
import { PROJECT } from './project.ts';
import { readRelayConfig } from './relay-config.ts';
import { StartError } from './start-error.ts';

const dist = new URL('dist/', PROJECT);

/** What a relay can be told beside its secret; `npm start` passes on what its environment says. */
export const RELAY_SETTINGS = [
  'RELAY_PUBLIC_KEY',
  'RELAY_ORIGINS',
  'RELAY_REGION',
  'RELAY_PUBLIC_URL',
  'RELAY_SECRET_PREVIOUS',
  'RELAY_AUDIENCE',
  'RELAY_ISSUER',
  'RELAY_SECURITY_CONTACT',
] as const;
export type RelaySetting = (typeof RELAY_SETTINGS)[number];

/** Ctrl-C reaches workerd as well as us, in any order: its end is news only when nobody has asked for it by then. */
const SIGNAL_WITHIN_MS = 250;

export interface RelayOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Where sessions' metadata live across restarts. */
  readonly stateDir: string;
  readonly secret: string;
  /** Other settings of the Worker, by their name in worker/env.ts. */
  readonly settings?: Readonly<Partial<Record<RelaySetting, string | undefined>>>;
  /** Serves https with this certificate and its key, both PEM. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Receives what workerd and the Worker print. */
  readonly log?: (line: string) => void;
}

export interface Relay {
  readonly url: URL;
  /** Resolves when it has ended by itself, with how; absent where that does not happen. */
  readonly ended?: Promise<string>;
  stop(): Promise<void>;
}

export async function startRelay(options: RelayOptions): Promise<Relay> {
  const settings = await miniflareOptions(options);
  let isStopping = false;
  const ended = new Promise<string>((resolve) => {
    const { handleRuntimeStdio } = settings;
    // Miniflare does not tell that workerd has ended; its output does.
    settings.handleRuntimeStdio = (stdout: Readable, stderr: Readable) => {
      handleRuntimeStdio?.(stdout, stderr);
      const tell = () => !isStopping && resolve('workerd is gone');
      stdout.on('end', () => setTimeout(tell, SIGNAL_WITHIN_MS));
    };
  });
  const miniflare = withoutSignalHandlers(() => new Miniflare(settings));
  const url = await miniflare.ready;
  const stop = async () => {
    isStopping = true;
    await miniflare.dispose();
  };
  return { url, ended, stop };
}

/** Miniflare would end the process at once on a signal; when and in which order to end is for our caller to say. */
function withoutSignalHandlers<T>(make: () => T): T {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  const before = signals.map((signal) => process.listeners(signal));
  const made = make();
  signals.forEach((signal, i) => {
    for (const listener of process.listeners(signal)) {
      if (!before[i]?.includes(listener)) process.removeListener(signal, listener);
    }
  });
  return made;
}

/** Exported for the tests and the benchmark, which reach into the object's storage and evict it. */
export async function miniflareOptions(options: RelayOptions): Promise<MiniflareOptions> {
  const config = await readRelayConfig(new URL('wrangler.toml', PROJECT));
  const exceptions = config.runWorkerFirst.filter((rule) => rule.startsWith('!'));
  return {
    host: options.host,
    port: options.port,
    ...(options.tls === undefined
      ? {}
      : { https: true, httpsCert: options.tls.cert, httpsKey: options.tls.key }),
    name: 'holdfast',
    modules: [{ type: 'ESModule', path: fileURLToPath(new URL('worker/index.js', dist)) }],
    modulesRoot: fileURLToPath(new URL('worker/', dist)),
    compatibilityDate: config.compatibilityDate,
    compatibilityFlags: [...config.compatibilityFlags],
    bindings: { RELAY_SECRET: options.secret, ...given(options.settings) },
    durableObjects: { WORKSPACE: { className: 'Workspace', useSQLite: true } },
    defaultPersistRoot: options.stateDir,
    assets: {
      directory: fileURLToPath(new URL('web/', dist)),
      binding: 'ASSETS',
      routerConfig: {
        has_user_worker: true,
        static_routing: {
          user_worker: config.runWorkerFirst.filter((rule) => !rule.startsWith('!')),
          asset_worker: exceptions.map((rule) => rule.slice(1)),
        },
      },
      assetConfig: { html_handling: 'none', not_found_handling: 'none' },
    },
    // Nothing but the registries is asked on anybody's behalf: no request metadata, no statistics.
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

function given(settings: RelayOptions['settings'] = {}): Record<string, string> {
  const entries = Object.entries(settings).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(entries) as Record<string, string>;
}

/** workerd's own complaint about a port in use is a stack trace; ask first, and answer in one sentence. */
export async function requireFreePort(
  host: string,
  port: number,
  another = `set PORT to another, for example PORT=${port + 1} npm start`,
): Promise<void> {
  if (port === 0) return;
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', (error: NodeJS.ErrnoException) => reject(portError(error, host, port, another)));
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}

function portError({ code }: NodeJS.ErrnoException, host: string, port: number, another: string): Error {
  if (code === 'EADDRINUSE') {
    return new StartError(`Port ${port} on ${host} is in use by another program; ${another}.`);
  }
  if (code === 'EACCES')
    return new StartError(`Port ${port} is for the system's own programs; set PORT to one above 1023.`);
  return new StartError(`HOST is ${host}, which is no address of this machine (${code}).`);
}

/**
 * Runs the relay on this machine: the same Worker that is deployed, on workerd, with one listening socket and its
 * storage in a directory.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeSecretDirectory, writePrivateFile } from '../../node/private-file.ts';
import { PROJECT } from '../../node/project.ts';
import { reachableAddresses } from './outbound-network.ts';
import { listPageFiles } from './page-files.ts';
import { readRelayConfig } from './relay-config.ts';
import { type WorkerModule, workerdConfig } from './workerd-config.ts';
import { startWorkerd } from './workerd-process.ts';

const dist = (path: string) => fileURLToPath(new URL(`dist/${path}`, PROJECT));

/** The settings of a relay besides its secret; `npm start` passes them on from its environment. */
export const RELAY_SETTINGS = [
  'RELAY_PUBLIC_KEY',
  'RELAY_OWNER_KEY',
  'RELAY_ORIGINS',
  'RELAY_REGION',
  'RELAY_PUBLIC_URL',
  'RELAY_SECRET_PREVIOUS',
  'RELAY_AUDIENCE',
  'RELAY_ISSUER',
  'RELAY_SECURITY_CONTACT',
  'RELAY_PUSH_HOSTS',
] as const;
export type RelaySetting = (typeof RELAY_SETTINGS)[number];

/** Variables that tell workerd which certificates of push services to trust, in place of the system's. */
export const certificateSettings = ({ SSL_CERT_FILE, SSL_CERT_DIR }: NodeJS.ProcessEnv) => ({
  SSL_CERT_FILE,
  SSL_CERT_DIR,
});

export interface RelayOptions {
  readonly host: string;
  /** 0 selects any free port. */
  readonly port: number;
  /** Where the metadata of sessions is kept across restarts. */
  readonly stateDir: string;
  readonly secret: string;
  /** Other settings of the Worker, by their name in worker/http/env.ts. */
  readonly settings?: Readonly<Partial<Record<RelaySetting, string | undefined>>>;
  readonly certificates?: ReturnType<typeof certificateSettings>;
  /** Serves https with this certificate chain and its key, both PEM files with absolute paths. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** Receives what workerd and the Worker print. */
  readonly log?: (line: string) => void;
  /** The modules to run in place of the built Worker, for tests that wrap it. */
  readonly modules?: readonly WorkerModule[];
}

export interface Relay {
  readonly url: URL;
  readonly pid: number;
  /** Resolves when it has ended by itself, with the cause. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

export async function startRelay(options: RelayOptions): Promise<Relay> {
  const { host, port, secret, stateDir, tls, log = () => {} } = options;
  const storageDirectory = join(stateDir, 'do');
  await makeSecretDirectory(storageDirectory);
  const settings: Record<string, string> = { RELAY_SECRET: secret, ...given(options.settings) };
  const text = workerdConfig({
    config: await readRelayConfig(new URL('wrangler.toml', PROJECT)),
    address: `${bracketed(host)}:${port}`,
    settings: Object.keys(settings),
    modules: options.modules ?? [{ name: 'index.js', file: dist('worker/index.js') }],
    staticFilesModule: dist('static-files/index.js'),
    pageDirectory: dist('web'),
    pageFiles: await listPageFiles(dist('web')),
    storageDirectory,
    reachable: reachableAddresses(settings.RELAY_PUSH_HOSTS),
    tls,
  });
  const configFile = join(stateDir, 'workerd.capnp');
  await writePrivateFile(configFile, text);
  const workerd = await startWorkerd({
    configFile,
    host,
    port,
    env: { ...given(options.certificates), ...settings },
    log,
  });
  const url = listeningUrl({ host, port: workerd.port, tls });
  return { url, pid: workerd.pid, ended: workerd.ended, stop: workerd.stop };
}

/** The address at which this machine reaches a relay that listens there. */
export function listeningUrl({
  host,
  port,
  tls,
}: Pick<RelayOptions, 'host' | 'port'> & { readonly tls: RelayOptions['tls'] }): URL {
  const scheme = tls === undefined ? 'http' : 'https';
  return new URL(`${scheme}://${reachable(host, scheme)}:${port}`);
}

function given(settings: Readonly<Record<string, string | undefined>> = {}): Record<string, string> {
  const entries = Object.entries(settings).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(entries) as Record<string, string>;
}

function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

/** The address at which this machine can reach a relay that listens on all addresses or on a name. */
function reachable(host: string, scheme: string): string {
  // workerd resolves `localhost` to 127.0.0.1. A client may resolve it to ::1, where anybody may listen, and only a
  // certificate would reveal that.
  if (host === '0.0.0.0' || (host === 'localhost' && scheme === 'http')) return '127.0.0.1';
  return host === '::' || host === '[::]' ? '[::1]' : bracketed(host);
}

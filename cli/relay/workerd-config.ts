/**
 * Generates the configuration with which workerd runs the relay, as Cap'n Proto text: one listening socket, the Worker,
 * its Durable Objects on disk, and the page's files. Pure.
 *
 * It contains no secret: settings come from the environment of the process, a TLS key from its own file.
 */
import type { PageFiles } from './page-files.ts';
import type { RelayConfig } from './relay-config.ts';

/** workerd inherits this socket, and does not open it at the address (workerd-process.ts). */
export const SOCKET_NAME = 'relay';

export interface WorkerdSpec {
  readonly config: RelayConfig;
  /** An address that workerd can listen on: `127.0.0.1:8787`, `[::1]:0`. */
  readonly address: string;
  /** Names of the environment variables that become bindings of the Worker. */
  readonly settings: readonly string[];
  /** The modules of the Worker, the entry module first. Paths are absolute. */
  readonly modules: readonly WorkerModule[];
  /** The bundle of worker/static-files. */
  readonly staticFilesModule: string;
  readonly pageDirectory: string;
  readonly pageFiles: PageFiles;
  /** Where the Durable Objects keep their SQLite files. */
  readonly storageDirectory: string;
  /** What the relay may connect to, as workerd names it: `public`, or a range of addresses. */
  readonly reachable: readonly string[];
  /** PEM files for https. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string } | undefined;
}

export interface WorkerModule {
  readonly name: string;
  readonly file: string;
}

export function workerdConfig(spec: WorkerdSpec): string {
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "relay", worker = ${relayWorker(spec)}),
    (name = "static-files", worker = ${staticFilesWorker(spec)}),
    (name = "page-directory", disk = (path = ${text(spec.pageDirectory)})),
    (name = "storage", disk = (path = ${text(spec.storageDirectory)}, writable = true)),
    # The relay connects to push services only, and those are on the internet.
    (name = "internet", network = (allow = [${spec.reachable.map(text).join(', ')}], tlsOptions = (trustBrowserCas = true))),
    (name = "nowhere", network = (allow = [])),
  ],
  sockets = [(name = ${text(SOCKET_NAME)}, address = ${text(spec.address)}, ${protocol(spec)}, service = "relay")],
);
`;
}

function relayWorker({ config, modules, settings, tls }: WorkerdSpec): string {
  const objects = config.durableObjects;
  const bindings = [
    `(name = ${text(config.assetsBinding)}, service = "static-files")`,
    ...objects.map(
      ({ binding, className }) => `(name = ${text(binding)}, durableObjectNamespace = ${text(className)})`,
    ),
    `(name = "SELF_HOSTED", text = "${tls === undefined ? 'http' : 'https'}")`,
    '(name = "TERMINAL_INLET", durableObjectNamespace = "TerminalInlet")',
    ...settings.map((name) => `(name = ${text(name)}, fromEnvironment = ${text(name)})`),
  ];
  const namespaces = [
    ...objects.map(
      ({ className }) =>
        `(className = ${text(className)}, uniqueKey = ${text(`${config.name}-${className}`)}, enableSql = true)`,
    ),
    `(className = "TerminalInlet", uniqueKey = ${text(`${config.name}-TerminalInlet`)})`,
  ];
  return `(
      ${moduleList(modules)},
      ${compatibility(config)},
      bindings = ${list(bindings)},
      durableObjectNamespaces = ${list(namespaces)},
      durableObjectStorage = (localDisk = "storage"),
    )`;
}

function staticFilesWorker({ config, pageFiles, staticFilesModule }: WorkerdSpec): string {
  const bindings = [
    '(name = "DISK", service = "page-directory")',
    `(name = "ETAGS", json = ${text(JSON.stringify(pageFiles.etags))})`,
    `(name = "HEADERS", text = ${text(pageFiles.headers)})`,
  ];
  return `(
      ${moduleList([{ name: 'static-files.js', file: staticFilesModule }])},
      ${compatibility(config)},
      bindings = ${list(bindings)},
      globalOutbound = "nowhere",
    )`;
}

/** workerd reads the files itself; the configuration contains only their paths. */
function moduleList(modules: readonly WorkerModule[]): string {
  return `modules = ${list(
    modules.map(({ name, file }) => `(name = ${text(name)}, esModule = embed ${text(file)})`),
  )}`;
}

function compatibility({ compatibilityDate, compatibilityFlags }: RelayConfig): string {
  const flags = compatibilityFlags.map(text).join(', ');
  return `compatibilityDate = ${text(compatibilityDate)}, compatibilityFlags = [${flags}]`;
}

/**
 * With the style `proxy`, the Worker gets the request line and the Host header as they were sent. With `host`, workerd
 * answers a request without a Host itself, and one connection with nothing else stops everybody. [RL24]
 */
function protocol({ tls }: WorkerdSpec): string {
  if (tls === undefined) return 'http = (style = proxy)';
  const keypair = `(privateKey = embed ${text(tls.keyFile)}, certificateChain = embed ${text(tls.certFile)})`;
  return `https = (options = (style = proxy), tlsOptions = (keypair = ${keypair}))`;
}

function list(items: readonly string[]): string {
  return `[\n${items.map((item) => `        ${item},\n`).join('')}      ]`;
}

/** A text literal. Paths may contain quotes, backslashes and line breaks. */
function text(value: string): string {
  const escaped = value.replace(/[\p{Cc}"\\]/gu, (char) =>
    char === '"' || char === '\\' ? `\\${char}` : escapedBytes(char),
  );
  return `"${escaped}"`;
}

function escapedBytes(char: string): string {
  return [...Buffer.from(char)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
}

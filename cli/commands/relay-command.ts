/** `holdfast relay`: runs a relay on one machine, with its state in a directory. */

import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isLoopbackHost } from '../../node/loopback.ts';
import { print, say } from '../../node/print.ts';
import type { Command, Input } from '../command-line/command.ts';
import { EXIT } from '../command-line/exit-codes.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { requireFreePort } from '../local/free-port.ts';
import { LocalState } from '../local/local-state.ts';
import { reachWarning, readPort } from '../local/relay-address.ts';
import {
  certificateSettings,
  RELAY_SETTINGS,
  type Relay,
  type RelayOptions,
  type RelaySetting,
  startRelay,
} from '../relay/relay.ts';

const DEFAULT_STATE_DIR = '.holdfast';

export const relayCommand: Command = {
  name: 'relay',
  summary: 'run a relay on this machine',
  about: `Runs a relay on workerd, the runtime that Cloudflare uses, until it is stopped. It keeps its secret and its registry in
one directory, created on the first start; terminals stay with the agents. Browsers can log in over https or from this
machine. For other machines, give --cert and --key, or --public-url if a proxy terminates TLS.`,
  options: {
    port: { value: '<port>', short: 'p', meaning: 'port to listen on (PORT), default: 8787' },
    host: {
      value: '<address>',
      meaning: 'address to listen on (HOST), default: 127.0.0.1; 0.0.0.0: all addresses',
    },
    'state-dir': {
      value: '<directory>',
      meaning: `where it keeps its state (HOLDFAST_STATE_DIR), default: ${DEFAULT_STATE_DIR}`,
    },
    'secret-file': {
      value: '<file>',
      meaning: 'file with the secret that signs tokens, default: generated and kept',
    },
    'previous-secret-file': {
      value: '<file>',
      meaning:
        'file with the previous secret during a rotation, default: relay-secret-previous, if it exists',
    },
    cert: { value: '<file>', meaning: 'certificate chain, PEM: serve https' },
    key: { value: '<file>', meaning: 'its private key, PEM' },
    'public-url': {
      value: '<url>',
      meaning: 'address that browsers use if a proxy terminates TLS (RELAY_PUBLIC_URL)',
    },
  },
  examples: [
    ['holdfast relay', 'for this machine only'],
    [
      'holdfast relay --host 0.0.0.0 --port 443 --cert chain.pem --key key.pem',
      'for other machines, with its own TLS',
    ],
    ['holdfast relay --public-url https://relay.example.com', 'behind nginx or Caddy on the same machine'],
  ],
  async run(input) {
    const { host, port, publicUrl, tls } = readPlace(input);
    await requireFreePort(host, port, `choose another, for example --port ${port + 1}`);
    // Files written by workerd are as private as our own.
    process.umask(0o077);
    const dir = resolve(input.text('state-dir') ?? (process.env.HOLDFAST_STATE_DIR || DEFAULT_STATE_DIR));
    const state = await LocalState.open(dir);
    const secretFile = input.text('secret-file');
    const previousSecret = await state.previousSecret(input.text('previous-secret-file'));
    const relay = await startRelay({
      host,
      port,
      stateDir: state.relayDir,
      secret: await state.secret(secretFile),
      settings: {
        ...fromEnvironment(RELAY_SETTINGS),
        RELAY_OWNER_KEY: (await state.owner()).publicKey,
        ...(publicUrl === undefined ? {} : { RELAY_PUBLIC_URL: publicUrl }),
        ...(previousSecret === undefined ? {} : { RELAY_SECRET_PREVIOUS: previousSecret }),
      },
      certificates: certificateSettings(process.env),
      ...(tls === undefined ? {} : { tls }),
      log: say,
    });
    const warning = reachWarning(host, { isSecure: tls !== undefined || publicUrl !== undefined });
    if (warning !== null) say(`holdfast relay: ${warning}`);
    print(`Relay at ${publicUrl ?? relay.url.origin}, state in ${dir}`);
    await state.owner(new URL(publicUrl ?? relay.url));
    print(`Tokens: holdfast token --secret-file ${secretFile ?? state.secretFile} …`);
    print(`Machines: holdfast invite --state-dir ${dir}`);
    const code = await untilStopped(relay);
    await relay.stop();
    await state.release();
    return code;
  },
};

interface Place {
  readonly host: string;
  readonly port: number;
  readonly publicUrl: string | undefined;
  readonly tls: RelayOptions['tls'];
}

function readPlace(input: Input): Place {
  return {
    host: input.text('host') ?? (process.env.HOST || '127.0.0.1'),
    port: readPort(input.text('port') ?? process.env.PORT),
    publicUrl: readPublicUrl(input.text('public-url') ?? (process.env.RELAY_PUBLIC_URL || undefined)),
    tls: readTls(input.text('cert'), input.text('key')),
  };
}

/** An origin without a path: cookies and the page live at its root. */
function readPublicUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search !== '')
    throw new UsageError(
      `--public-url is ${JSON.stringify(text)}, which is not an address like https://relay.example.com`,
    );
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname))
    throw new UsageError(
      '--public-url must be https: over plain http, browsers keep a login on this machine only',
    );
  return url.origin;
}

function readTls(cert: string | undefined, key: string | undefined): RelayOptions['tls'] {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) throw new UsageError('give --cert and --key together');
  requirePem(cert, 'CERTIFICATE');
  requirePem(key, 'PRIVATE KEY');
  requirePrivate(key);
  return { certFile: resolve(cert), keyFile: resolve(key) };
}

/** Checked before anything starts: workerd's own error would be about a line of the generated configuration. */
function requirePem(file: string, kind: string): void {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  if (!text.includes(`${kind}-----`)) throw new UsageError(`${file} holds no ${kind.toLowerCase()} in PEM`);
}

/** Anybody with the key can impersonate this relay. A group may read it, as `ssl-cert` does on Debian. */
function requirePrivate(file: string): void {
  const mode = statSync(file).mode & 0o777;
  if ((mode & 0o007) === 0) return;
  throw new UsageError(
    `${file} may be read by everybody (mode ${mode.toString(8)}); run chmod 640 or 600 on it and make the relay's user its owner`,
  );
}

/** The public URL is read separately, because a flag may set it too. */
function fromEnvironment(names: readonly RelaySetting[]): NonNullable<RelayOptions['settings']> {
  const others = names.filter((name) => name !== 'RELAY_PUBLIC_URL');
  return Object.fromEntries(others.map((name) => [name, process.env[name]]));
}

/** Resolves with the exit code: 0 when it was stopped, 1 when it ended by itself. */
function untilStopped(relay: Relay): Promise<number> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve(EXIT.ok));
    void relay.ended.then((how) => {
      say(`holdfast relay: the relay has ended (${how})`);
      resolve(EXIT.failed);
    });
  });
}

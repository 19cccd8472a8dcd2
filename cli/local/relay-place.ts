/** Where a relay of this machine listens and how people reach it, as `holdfast relay` and `holdfast up` are told. */
import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isLoopbackHost } from '../../node/loopback.ts';
import type { Input, Option } from '../command-line/command.ts';
import { UsageError } from '../command-line/usage-error.ts';
import type { RelayOptions } from '../relay/relay.ts';
import { readPort } from './relay-address.ts';

export interface RelayPlace {
  readonly host: string;
  readonly port: number;
  readonly publicUrl: string | undefined;
  readonly tls: RelayOptions['tls'];
}

export const PLACE_OPTIONS = {
  port: { value: '<port>', short: 'p', meaning: 'port to listen on (PORT), default: 8787' },
  host: {
    value: '<address>',
    meaning: 'address to listen on (HOST), default: 127.0.0.1; 0.0.0.0: all addresses',
  },
  cert: { value: '<file>', meaning: 'certificate chain, PEM: serve https' },
  key: { value: '<file>', meaning: 'its private key, PEM' },
  'public-url': {
    value: '<url>',
    meaning: 'address that browsers use if a proxy terminates TLS (RELAY_PUBLIC_URL)',
  },
} as const satisfies Record<string, Option>;

export function readPlace(input: Input, env: NodeJS.ProcessEnv): RelayPlace {
  return {
    host: input.text('host') ?? (env.HOST || '127.0.0.1'),
    port: readPort(input.text('port') ?? env.PORT),
    publicUrl: readPublicUrl(input.text('public-url') ?? (env.RELAY_PUBLIC_URL || undefined)),
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

/** The addresses of a relay that listens at `listening`. */
export interface RelayAddresses {
  /** For browsers. */
  readonly page: URL;
  /** For the agent of the same machine. It checks the certificate, so with TLS it uses a name that this has. */
  readonly agent: URL;
}

export function addressesOf({ publicUrl, tls }: RelayPlace, listening: URL): RelayAddresses {
  if (tls === undefined) return { page: new URL(publicUrl ?? listening), agent: listening };
  const named =
    publicUrl === undefined
      ? certifiedAddress(listening, readFileSync(tls.certFile, 'utf8'))
      : new URL(publicUrl);
  return { page: named, agent: named };
}

/** The address with the first name of the certificate, unless the certificate covers the address as it is. */
export function certifiedAddress(listening: URL, pem: string): URL {
  const certificate = new X509Certificate(pem);
  const host = listening.hostname.replace(/^\[|\]$/g, '');
  if (certificate.checkIP(host) !== undefined || certificate.checkHost(host) !== undefined) return listening;
  const names = [...(certificate.subjectAltName ?? '').matchAll(/DNS:([^,\s"]+)/g)].map(
    ([, name = '']) => name,
  );
  const named = new URL(listening);
  // A wildcard is not a name that can be dialled.
  named.hostname = names.find((name) => !name.includes('*')) ?? listening.hostname;
  return named;
}

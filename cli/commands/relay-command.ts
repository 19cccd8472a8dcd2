/** `holdfast relay`: runs a relay on one machine, with its state in a directory. */

import { resolve } from 'node:path';
import { print, say } from '../../node/print.ts';
import type { Command } from '../command-line/command.ts';
import { EXIT } from '../command-line/exit-codes.ts';
import { requireFreePort } from '../local/free-port.ts';
import { LocalState } from '../local/local-state.ts';
import { reachWarning } from '../local/relay-address.ts';
import { PLACE_OPTIONS, readPlace } from '../local/relay-place.ts';
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
    port: PLACE_OPTIONS.port,
    host: PLACE_OPTIONS.host,
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
    cert: PLACE_OPTIONS.cert,
    key: PLACE_OPTIONS.key,
    'public-url': PLACE_OPTIONS['public-url'],
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
    const { host, port, publicUrl, tls } = readPlace(input, process.env);
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

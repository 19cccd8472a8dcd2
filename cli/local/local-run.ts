/**
 * Runs a relay and one agent on this machine, prints the link to open, and stops both in order. `npm start` and `npm
 * run dev` differ only in how the relay runs.
 */

import { fileURLToPath } from 'node:url';
import { print, say } from '../../node/print.ts';
import { PROJECT } from '../../node/project.ts';
import { StartError } from '../../node/start-error.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { requireFreePort } from './free-port.ts';
import { LocalParts, type StartRelay, WORKSPACE } from './local-parts.ts';
import { LocalState } from './local-state.ts';
import { reachWarning, readPort } from './relay-address.ts';
import { requireShell } from './shell-check.ts';

export async function runLocally(startRelay: StartRelay): Promise<void> {
  try {
    await start(startRelay);
  } catch (error) {
    if (!(error instanceof StartError || error instanceof UsageError)) throw error;
    say(error.message);
    process.exit(1);
  }
}

async function start(startRelay: StartRelay): Promise<void> {
  const [argument] = process.argv.slice(2);
  if (argument !== undefined)
    throw new UsageError(
      `unknown argument "${argument}"; PORT, HOST and other settings come from the environment, for example PORT=8788 npm start`,
    );
  const port = readPort(process.env.PORT);
  const host = process.env.HOST || '127.0.0.1';
  // Checked before anything is built or locked, because this fails most often.
  await requireFreePort(host, port);
  requireShell(process.env);
  // Files written by workerd and wrangler are as private as our own.
  process.umask(0o077);
  const parts = new LocalParts(await LocalState.open(stateDir()), startRelay);
  parts.stopOnSignals();
  const relay = await parts.startRelay(host, port);
  const warning = reachWarning(host, { isSecure: Boolean(process.env.RELAY_PUBLIC_URL) });
  if (warning !== null) say(`Warning: ${warning}`);
  await parts.startAgent(relay.url);
  const operator = await parts.token('operator');
  if (!(await parts.untilReady(relay.url, operator))) return;
  say(`Ready after ${(performance.now() / 1000).toFixed(1)} s.`);
  print(`Open ${linkOf(relay.url, process.env.RELAY_PUBLIC_URL)}#token=${operator}`);
}

function stateDir(): string {
  return process.env.HOLDFAST_STATE_DIR || fileURLToPath(new URL('.holdfast', PROJECT));
}

/**
 * The exact address that the relay listens on. `localhost` would read better, but makes a browser try ::1 first, where
 * any user of this machine could listen and receive the token.
 */
function linkOf(relay: URL, publicUrl: string | undefined): string {
  return new URL(`/w/${WORKSPACE}`, publicUrl || relay).href;
}

/**
 * Runs a relay and one agent on this machine, prints the link to open, and stops both in order: what `npm start`, `npm
 * run dev` and `holdfast up` share.
 */

import { print, say } from '../../node/print.ts';
import { requireFreePort } from './free-port.ts';
import { LocalParts, type PartOptions } from './local-parts.ts';
import { LocalState } from './local-state.ts';
import { linkOf, localToken, pageOf } from './local-token.ts';
import { reachWarning } from './relay-address.ts';
import { addressesOf, type RelayPlace } from './relay-place.ts';
import { requireShell } from './shell-check.ts';

export interface LocalRun extends PartOptions {
  readonly place: RelayPlace;
  readonly stateDir: string;
  /** How to choose another port, for the message that this one is in use. */
  readonly anotherPort: string;
  /** Whether what is printed is kept in a log. A log gets no token. */
  readonly isLogged?: boolean;
}

/** Resolves when the link is printed. The process ends when the parts are stopped. */
export async function runLocally(run: LocalRun): Promise<void> {
  const { host, port, publicUrl, tls } = run.place;
  // Checked before anything is built or locked, because this fails most often.
  await requireFreePort(host, port, run.anotherPort);
  requireShell(process.env);
  // Files written by workerd and wrangler are as private as our own.
  process.umask(0o077);
  const state = await LocalState.open(run.stateDir);
  const parts = new LocalParts(state, run);
  parts.stopOnSignals();
  const relay = await parts.startRelay(run.place);
  const warning = reachWarning(host, { isSecure: publicUrl !== undefined || tls !== undefined });
  if (warning !== null) say(`Warning: ${warning}`);
  const { page, agent } = addressesOf(run.place, relay.url);
  await state.owner(page);
  await parts.startAgent(agent, tls?.certFile);
  const operator = await localToken(state, 'operator');
  if (!(await parts.untilReady(relay.url, operator, tls?.certFile))) return;
  say(`Ready after ${(performance.now() / 1000).toFixed(1)} s.`);
  print(`Open ${run.isLogged ? pageOf(page) : linkOf(page, operator)}`);
}

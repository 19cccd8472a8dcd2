/**
 * A relay and one agent on this machine, the link to open, and an orderly end. `npm start` and `npm run dev`
 * differ only in how the relay runs.
 */

import { fileURLToPath } from 'node:url';
import { print, say } from '../vm-agent/print.ts';
import { untilAgentOnline } from './agent-online.ts';
import { requireFreePort } from './free-port.ts';
import { type LocalAgent, startLocalAgent } from './local-agent.ts';
import { LocalState } from './local-state.ts';
import { claimsAskedBy, mintToken } from './mint-token.ts';
import { PROJECT } from './project.ts';
import { RELAY_SETTINGS, type Relay, type RelayOptions } from './relay/relay.ts';
import { reachWarning, readPort } from './relay-address.ts';
import { StartError } from './start-error.ts';
import { UsageError } from './usage-error.ts';

const WORKSPACE = 'local';
/** The link and the agent's token live as long as a month; each start makes new ones. */
const TOKEN_LIFETIME_S = 30 * 24 * 3600;

export async function runLocally(startRelay: (options: RelayOptions) => Promise<Relay>): Promise<void> {
  try {
    await start(startRelay);
  } catch (error) {
    if (!(error instanceof StartError || error instanceof UsageError)) throw error;
    say(error.message);
    process.exit(1);
  }
}

async function start(startRelay: (options: RelayOptions) => Promise<Relay>): Promise<void> {
  const [argument] = process.argv.slice(2);
  if (argument !== undefined)
    throw new UsageError(
      `${argument} is not understood: PORT, HOST and the like are set in the environment, for example PORT=8788 npm start.`,
    );
  const port = readPort(process.env.PORT);
  const host = process.env.HOST || '127.0.0.1';
  // Before anything is built or locked: this is what goes wrong most often.
  await requireFreePort(host, port);
  // What workerd and wrangler write is as private as what we do.
  process.umask(0o077);
  const state = await LocalState.open(stateDir());
  const secret = await state.secret();
  const token = (role: 'agent' | 'operator') =>
    mintToken(
      { workspace: WORKSPACE, role, lifetimeSeconds: TOKEN_LIFETIME_S, ...claimsAskedBy(process.env) },
      secret,
    );

  const previousSecret = await state.previousSecret();
  const settings: RelayOptions['settings'] = {
    ...Object.fromEntries(RELAY_SETTINGS.map((name) => [name, process.env[name]])),
    ...(previousSecret === undefined ? {} : { RELAY_SECRET_PREVIOUS: previousSecret }),
  };
  say('Starting the relay …');
  const relay = await startRelay({ host, port, stateDir: state.relayDir, secret, settings, log: say });
  const warning = reachWarning(host, { isSecure: Boolean(process.env.RELAY_PUBLIC_URL) });
  if (warning !== null) say(`Beware: ${warning}`);
  say('Starting the agent …');
  await state.writeAgentToken(await token('agent'));
  const agent = startLocalAgent({
    relay: relay.url,
    workspace: WORKSPACE,
    tokenFile: state.agentTokenFile,
    log: (line) => sayTroubles(line),
  });
  endTogether(relay, agent, state);
  const operator = await token('operator');
  await untilAgentOnline({ relay: relay.url, workspace: WORKSPACE, token: operator, say });
  say(`Ready after ${(performance.now() / 1000).toFixed(1)} s.`);
  print(`Open ${linkOf(relay.url, host, process.env.RELAY_PUBLIC_URL)}#token=${operator}`);
}

/** Ctrl-C, a closed terminal or the end of the agent end everything that was started. */
function endTogether(relay: Relay, agent: LocalAgent, state: LocalState): void {
  let stopping = false;
  const stop = async (code: number) => {
    if (stopping) return;
    stopping = true;
    await agent.stop();
    await relay.stop();
    await state.release();
    process.exit(code);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(0));
  void agent.ended.then((how) => {
    if (!stopping) say(`The agent has ended (${how}); stopping.`);
    void stop(1);
  });
  void relay.ended.then((how) => {
    if (!stopping) say(`The relay has ended (${how}); stopping.`);
    void stop(1);
  });
}

/** Of the agent's log, what a person at this terminal should know. */
function sayTroubles(lines: string): void {
  for (const line of lines.split('\n')) {
    if (!line.startsWith('{')) say(line);
    else if (/"level":"(warn|error)"/.test(line)) say(`agent: ${line}`);
  }
}

function stateDir(): string {
  return process.env.HOLDFAST_STATE_DIR || fileURLToPath(new URL('.holdfast', PROJECT));
}

/** `localhost` reads better than 127.0.0.1 and is as safe for cookies; another host is taken as it was given. */
function linkOf(relay: URL, host: string, publicUrl: string | undefined): string {
  if (publicUrl) return new URL(`/w/${WORKSPACE}`, publicUrl).href;
  const isHere = ['127.0.0.1', '0.0.0.0', '::', '::1'].includes(host);
  const name = isHere ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${relay.port}/w/${WORKSPACE}`;
}

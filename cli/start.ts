/**
 * `npm start`: relay and one agent on this machine, and the link to open.
 */
import { fileURLToPath } from 'node:url';
import { buildPage, buildWorker } from './build.ts';
import { startLocalAgent } from './local-agent.ts';
import { LocalState } from './local-state.ts';
import { mintToken } from './mint-token.ts';
import { RelayStartError, startRelay } from './relay.ts';

const WORKSPACE = 'local';
const LINK_LIFETIME_S = 30 * 24 * 3600;
/** As long as the link: a machine that runs for a month keeps its terminal. A restart makes a new one. */
const AGENT_TOKEN_LIFETIME_S = LINK_LIFETIME_S;
const DEFAULT_PORT = 8787;

const say = (line: string) => console.error(line);

async function main(): Promise<void> {
  const port = readPort(process.env.PORT);
  const host = process.env.HOST ?? '127.0.0.1';
  const state = await LocalState.open(
    process.env.HOLDFAST_STATE_DIR ?? fileURLToPath(new URL('../.holdfast', import.meta.url)),
  );

  say('Building the page …');
  await buildPage();
  say('Building the relay …');
  await buildWorker();

  say('Starting the relay …');
  const secret = await state.secret();
  const relay = await startRelay({ host, port, stateDir: state.relayDir, secret, log: say });

  say('Starting the agent …');
  await state.writeAgentToken(
    await mintToken({ workspace: WORKSPACE, role: 'agent', lifetimeSeconds: AGENT_TOKEN_LIFETIME_S }, secret),
  );
  const agent = startLocalAgent({ relay: relay.url, workspace: WORKSPACE, tokenFile: state.agentTokenFile });

  let stopping = false;
  const stop = async (code: number) => {
    if (stopping) return;
    stopping = true;
    await agent.stop();
    await relay.stop();
    process.exit(code);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(0));
  void agent.ended.then((code) => {
    if (stopping) return;
    say(`The agent has ended (exit code ${code}); stopping.`);
    void stop(1);
  });

  const token = await mintToken(
    { workspace: WORKSPACE, role: 'operator', lifetimeSeconds: LINK_LIFETIME_S },
    secret,
  );
  console.log(`Open ${linkOf(relay.url, host)}#token=${token}`);
}

/** `localhost` reads better than 127.0.0.1 and is as safe for cookies; another host is taken as it was given. */
function linkOf(relay: URL, host: string): string {
  const name = host === '127.0.0.1' || host === '0.0.0.0' ? 'localhost' : host;
  return `http://${name}:${relay.port}/w/${WORKSPACE}`;
}

function readPort(text: string | undefined): number {
  if (text === undefined) return DEFAULT_PORT;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535))
    throw new RelayStartError(`PORT is ${JSON.stringify(text)}, which is not a port number.`);
  return port;
}

try {
  await main();
} catch (error) {
  if (!(error instanceof RelayStartError)) throw error;
  say(error.message);
  process.exit(1);
}

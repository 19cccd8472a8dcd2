/** The agent process: reads its settings, dials out, and leaves nothing behind when it is told to stop. */
import { CLOSE } from '../protocol/close-codes.ts';
import { Connection } from '../protocol/connection.ts';
import { ProtocolError } from '../protocol/errors.ts';
import { Agent } from './agent.ts';
import { type AgentConfig, ConfigError, readConfig } from './config.ts';
import { log } from './log.ts';
import { relayDial } from './relay-socket.ts';
import { defaultShell, homeDirectory, shellEnvironment } from './shell-environment.ts';
import { spawnPty } from './spawn-pty.ts';
import { systemClock } from './system-clock.ts';
import { readTokenFile } from './token-file.ts';

/** What a refused close code means for the process: a newer agent is no failure. */
const EXIT_CODES: Readonly<Record<number, number>> = { [CLOSE.normal]: 0, [CLOSE.replaced]: 0 };

/** Shells are given this long to leave; terminate.ts needs three quarters of a second for the stubborn. */
const DRAIN_MS = 2_000;

function run(config: AgentConfig): void {
  const agent: Agent = new Agent({
    spawn: spawnPty,
    clock: systemClock,
    limits: {
      historyBytes: config.outputBufferBytes,
      maxSessions: config.maxSessions,
      whenFull: config.maxSessionsPolicy,
      orphanGraceMs: config.orphanGraceSeconds * 1000,
      idleTimeoutMs: config.idleTimeoutSeconds * 1000,
      exitedKeepMs: config.exitedKeepSeconds * 1000,
    },
    defaults: {
      command: defaultShell(process.env),
      cwd: homeDirectory(process.env),
      env: shellEnvironment(process.env),
    },
    send: (frame) => connection.send(frame),
  });
  const connection: Connection = new Connection({
    dial: relayDial(config.relay, `/ws/agent/${config.workspace}`, () => readTokenFile(config.tokenFile)),
    clock: systemClock,
    random: Math.random,
    // Somebody may be looking at any time; the agent can not know while it is cut off.
    watched: () => true,
    renewable: true,
    stateChanged: (state) => {
      if (state.name === 'open') agent.linkOpened();
      else agent.linkLost();
      if (state.name === 'closed') stop(EXIT_CODES[state.code] ?? 1);
      log('info', 'link', detailsOf(state));
    },
    received: (frame) => {
      try {
        agent.received(frame);
      } catch (error) {
        if (!(error instanceof ProtocolError)) throw error;
        log('error', 'protocol_error', { error: error.message });
        connection.redial(error.message);
      }
    },
  });

  let stopping = false;
  async function stop(code: number): Promise<void> {
    if (stopping) return;
    stopping = true;
    await agent.sessions.drain(DRAIN_MS);
    if (connection.state.name !== 'closed') connection.close(CLOSE.goingAway, 'the agent is stopping');
    process.exitCode = code;
    // The closing handshake needs a moment to be written; nothing else keeps the process alive.
    setTimeout(() => process.exit(code), 200).unref();
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(0));
}

try {
  run(readConfig(process.argv.slice(2), process.env));
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(`holdfast agent: ${error.message}`);
  process.exitCode = 2;
}

/**
 * Assembles a running agent: sessions and screens, the connection to the relay, health checks, and orderly shutdown.
 */

import { join } from 'node:path';
import { say } from '../node/print.ts';
import { relayDial } from '../node/relay-socket.ts';
import { systemClock } from '../node/system-clock.ts';
import { readTokenFile } from '../node/token-file.ts';
import { CLOSE, type Redial, redialAfter } from '../protocol/close-codes.ts';
import { Connection, type ConnectionState, type WireFrame } from '../protocol/connection.ts';
import { ProtocolError } from '../protocol/errors.ts';
import { PROVE_AFTER_MS } from '../protocol/link-proof.ts';
import { type AgentMessage, LINK_QUESTION } from '../protocol/messages/agent-message.ts';
import { versionOf } from '../protocol/terminal/width/width-mode.ts';
import { expirySentence, TOKEN_EXIT_CODE } from './doctor/usable-token.ts';
import { countRecoveries, describeAgent } from './health/agent-metrics.ts';
import { startHealthServer } from './health/health-server.ts';
import { Metrics } from './health/metrics.ts';
import { AGENT_VERSION } from './health/version.ts';
import { RelayIdentity } from './identity/relay-identity.ts';
import { type KeptState, openState, reviveSession } from './kept-state.ts';
import { Agent } from './link/agent.ts';
import { type Details, logEvent } from './log.ts';
import { defaultShell, homeDirectory, shellEnvironment } from './pty/shell-environment.ts';
import { spawnPty } from './pty/spawn-pty.ts';
import { ScreenPool } from './screen/pool.ts';
import type { AgentConfig } from './settings/config.ts';
import { ScriptFolder } from './shell/script-folder.ts';
import { type MarkShell, shellMarks } from './shell/shell-marks.ts';

/** How long shells get to exit; terminate.ts needs three quarters of a second for those that ignore signals. */
const DRAIN_MS = 2_000;

/** Time to write the closing handshake. */
const GOODBYE_MS = 200;

const ARE_WE_KNOWN = JSON.stringify({
  type: 'ask_presence',
  question: LINK_QUESTION,
} satisfies AgentMessage);

export class Daemon {
  readonly #config: AgentConfig;
  readonly #screens: ScreenPool;
  readonly #state: KeptState;
  readonly #scripts: ScriptFolder;
  readonly #agent: Agent;
  readonly #connection: Connection;
  readonly #metrics = new Metrics();
  #isStopping = false;
  #wasConnected = false;

  private constructor(config: AgentConfig, screens: ScreenPool, state: KeptState, proveAfterMs: number) {
    this.#config = config;
    this.#screens = screens;
    this.#state = state;
    this.#scripts = new ScriptFolder(config.stateDir === '' ? null : join(config.stateDir, 'shell'));
    // The link opens later, from the event loop: by then the agent exists and has its sessions.
    this.#connection = this.#connect(proveAfterMs);
    this.#agent = this.#createAgent();
    describeAgent(this.#metrics, this.#agent, screens);
    // Before the first message to the relay, because its inventory includes them.
    for (let next = state.revivals.shift(); next !== undefined; next = state.revivals.shift())
      reviveSession(this.#agent.sessions, next.old, next.screen);
  }

  /** Restores the sessions of an earlier process, and dials. Rejects with a ConfigError for unusable settings. */
  static async start(config: AgentConfig, proveAfterMs = PROVE_AFTER_MS): Promise<Daemon> {
    const screens = new ScreenPool({
      clock: systemClock,
      threadLost: (reason) => logEvent('error', 'screen_thread_lost', { reason }),
    });
    return new Daemon(config, screens, await openState(config, screens), proveAfterMs);
  }

  /** Rejects with a readable message if the port is not available. */
  async serveHealth(port: number): Promise<void> {
    await startHealthServer(port, {
      metrics: () => this.#metrics.render(),
      health: () => ({
        status: 'ok',
        version: AGENT_VERSION,
        link: { state: this.#connection.state.name },
        sessions: this.#agent.sessions.counts(),
      }),
    });
  }

  /**
   * Ends every shell, closes the connection and exits. Sessions that the agent's next life will revive have not ended,
   * even though their programs do: neither the disk nor the relay is told about those exits.
   */
  async stop(exitCode: number): Promise<void> {
    if (this.#isStopping) return;
    this.#isStopping = true;
    logEvent('info', 'stopping');
    await this.#state.close();
    if (this.#state.isKept) this.#sayGoodbye();
    await this.#agent.sessions.drain(DRAIN_MS);
    this.#scripts.remove();
    this.#sayGoodbye();
    setTimeout(() => process.exit(exitCode), GOODBYE_MS);
  }

  #sayGoodbye(): void {
    this.#connection.close(CLOSE.goingAway, 'the agent is stopping');
  }

  #createAgent(): Agent {
    const config = this.#config;
    const env = process.env;
    return new Agent({
      spawn: spawnPty,
      ...(config.shellMarks === 'on' ? { markShell: this.#markShell() } : {}),
      openScreen: (size, options) =>
        this.#screens.open(size, { scrollbackLines: config.scrollbackLines, ...options }),
      keep: this.#state.keep,
      clock: systemClock,
      metrics: () => this.#metrics.render(),
      recoveries: countRecoveries(this.#metrics),
      limits: {
        historyBytes: config.outputBufferBytes,
        maxSessions: config.maxSessions,
        whenFull: config.maxSessionsPolicy,
        orphanGraceMs: config.orphanGraceSeconds * 1000,
        idleTimeoutMs: config.idleTimeoutSeconds * 1000,
        exitedKeepMs: config.exitedKeepSeconds * 1000,
      },
      defaults: {
        command: defaultShell(env),
        cwd: homeDirectory(env),
        env: shellEnvironment(env),
        widths: versionOf(config.widths),
      },
      send: this.#connection.send.bind(this.#connection),
    });
  }

  #markShell(): MarkShell {
    return shellMarks({
      folder: this.#scripts,
      without: (shell, why) => logEvent('warn', 'no_shell_marks', { shell, why }),
    });
  }

  #connect(proveAfterMs: number): Connection {
    const { relay, tokenFile, keyFile, workspace, region } = this.#config;
    const identity = new RelayIdentity(keyFile, workspace, (why) =>
      logEvent('warn', 'no_agent_key', { why }),
    );
    return new Connection({
      dial: relayDial(relay, agentPath(workspace, region), () => readTokenFile(tokenFile), identity),
      clock: systemClock,
      random: Math.random,
      // Somebody may be watching at any time; a disconnected agent cannot know.
      watched: () => true,
      renewable: true,
      redial: agentRedial,
      stateChanged: (state) => this.#linkChanged(state),
      received: (frame) => this.#received(frame),
      question: () => ARE_WE_KNOWN,
      proveAfterMs,
    });
  }

  #linkChanged(state: ConnectionState): void {
    logEvent(state.name === 'waiting' || state.name === 'closed' ? 'warn' : 'info', 'link', detailsOf(state));
    if (state.name === 'open') {
      this.#wasConnected = true;
      this.#agent.linkOpened();
    } else this.#agent?.linkLost(); // there is none yet at the first dial
    if (state.name === 'waiting' && state.code === CLOSE.unauthorized && !this.#wasConnected)
      this.#stopIfExpired();
    if (state.name === 'closed' && !this.#isStopping) void this.stop(0);
  }

  /**
   * The relay never accepted this agent, and the token has expired by the local clock too: dialling again is pointless.
   */
  #stopIfExpired(): void {
    const { tokenFile, workspace } = this.#config;
    const why = expirySentence(readTokenFile(tokenFile), workspace, new Date());
    if (why === null || this.#isStopping) return;
    say(`holdfast agent: ${why}`);
    void this.stop(TOKEN_EXIT_CODE);
  }

  #received(frame: WireFrame): void {
    try {
      this.#agent.received(frame);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      logEvent('error', 'protocol_error', { error: error.message });
      this.#connection.redial(error.message);
    }
  }
}

/**
 * The agent stops only for a newer agent. Any other refusal (a bad token, a version, a message the relay cannot read)
 * may be fixed without it, and giving up would end every shell.
 */
function agentRedial(code: number): Redial {
  return code === CLOSE.replaced ? redialAfter(code) : 'yes';
}

function detailsOf(state: ConnectionState): Details {
  if (state.name === 'closed' || state.name === 'waiting') {
    return { state: state.name, code: state.code, reason: state.reason };
  }
  return { state: state.name };
}

/** The region matters only for the first connection the workspace ever had. [RL13] */
function agentPath(workspace: string, region: string): string {
  return `/ws/agent/${workspace}${region === '' ? '' : `?region=${region}`}`;
}

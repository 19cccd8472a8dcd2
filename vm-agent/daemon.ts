/**
 * Assembles a running agent: sessions and screens, the connection to the relay, health checks, and orderly shutdown.
 */

import { join } from 'node:path';
import { logEvent } from '../node/log.ts';
import { say } from '../node/print.ts';
import { relayDial } from '../node/relay-socket.ts';
import { systemClock } from '../node/system-clock.ts';
import { readTokenFile } from '../node/token-file.ts';
import { CLOSE } from '../protocol/close-codes.ts';
import { Connection, type ConnectionState, type WireFrame } from '../protocol/connection.ts';
import { ProtocolError } from '../protocol/errors.ts';
import { PROVE_AFTER_MS } from '../protocol/link-proof.ts';
import { versionOf } from '../protocol/terminal/width/width-mode.ts';
import { ARE_WE_KNOWN, agentPath, agentRedial, linkDetails } from './dialling.ts';
import { expirySentence, TOKEN_EXIT_CODE } from './doctor/usable-token.ts';
import { countRecoveries, describeAgent } from './health/agent-metrics.ts';
import { startHealthServer } from './health/health-server.ts';
import { Metrics } from './health/metrics.ts';
import { AGENT_VERSION } from './health/version.ts';
import { RelayIdentity } from './identity/relay-identity.ts';
import { ADOPTED_EXTRA_BYTES, type Adoption, adoptionsOf } from './kept/adoption.ts';
import { connectKeeper } from './kept/connect-keeper.ts';
import type { Found, KeeperLink } from './kept/keeper-link.ts';
import { KeeperStorage } from './kept/kept-storage.ts';
import { closeInTime, type KeptState, openState, reviveSession } from './kept-state.ts';
import { Agent } from './link/agent.ts';
import { defaultShell, homeDirectory, shellEnvironment } from './pty/shell-environment.ts';
import { spawnPty } from './pty/spawn-pty.ts';
import { waitingForInput } from './pty/waiting-for-input.ts';
import { ScreenPool } from './screen/pool.ts';
import { sessionLimits } from './session-limits.ts';
import type { AgentConfig } from './settings/config.ts';
import { ScriptFolder } from './shell/script-folder.ts';
import { type MarkShell, shellMarks } from './shell/shell-marks.ts';

/** How long shells get to exit; terminate.ts needs three quarters of a second for those that ignore signals. */
const DRAIN_MS = 2_000;

/** Longer than an agent takes to write what it holds. */
const LOCK_WITHIN_MS = 5_000;

/** Time to write the closing handshake. */
const GOODBYE_MS = 200;

interface DaemonParts {
  readonly config: AgentConfig;
  readonly screens: ScreenPool;
  readonly state: KeptState;
  /** Null if this process owns the terminals itself. */
  readonly keeper: KeeperLink | null;
  readonly adoptions: readonly Adoption[];
  /** Undefined without a keeper. */
  readonly found: Found | undefined;
}

export class Daemon {
  readonly #config: AgentConfig;
  readonly #screens: ScreenPool;
  readonly #state: KeptState;
  readonly #scripts: ScriptFolder;
  readonly #agent: Agent;
  readonly #keeper: KeeperLink | null;
  readonly #keeperStorage: KeeperStorage | null;
  /** Why the keeper has started this process with less; null if it has not. */
  readonly #trouble: string | null;
  /** For people who look at its health; null without a keeper. */
  readonly #keeperFacts: { readonly capabilities: readonly string[] } | null;
  /** Undefined until all sessions have their output. */
  #connection: Connection | undefined;
  readonly #metrics = new Metrics();
  #isStopping = false;
  #wasConnected = false;

  private constructor({ config, screens, state, keeper, adoptions, found }: DaemonParts) {
    this.#config = config;
    this.#screens = screens;
    this.#state = state;
    this.#keeper = keeper;
    this.#keeperStorage = keeper === null ? null : new KeeperStorage(keeper, systemClock, state.keep);
    this.#scripts = new ScriptFolder(config.stateDir === '' ? null : join(config.stateDir, 'shell'));
    this.#trouble = found?.trouble ?? null;
    this.#keeperFacts = found === undefined ? null : { capabilities: found.capabilities };
    this.#agent = this.#createAgent(found?.epoch);
    describeAgent(this.#metrics, this.#agent, { screens, hasLess: this.#trouble !== null });
    // Before the first message to the relay, because its inventory includes them.
    for (const adoption of adoptions) this.#adopt(adoption);
    for (let next = state.revivals.shift(); next !== undefined; next = state.revivals.shift())
      reviveSession(this.#agent.sessions, next.old, next.screen);
  }

  /** Restores the sessions of an earlier process, and dials. Rejects with a ConfigError for unusable settings. */
  static async start(config: AgentConfig, proveAfterMs = PROVE_AFTER_MS): Promise<Daemon> {
    const screens = new ScreenPool({
      clock: systemClock,
      threadLost: (reason) => logEvent('error', 'screen_thread_lost', { reason }),
    });
    let daemon: Daemon | undefined;
    const keeper = connectKeeper(process.env, {
      // Until there is a daemon, there is nothing to end in an orderly way.
      stop: () => void (daemon === undefined ? process.exit(0) : daemon.stop(0)),
      leave: () => void (daemon === undefined ? process.exit(0) : daemon.leave()),
      lost: (why) => void (daemon === undefined ? process.exit(1) : daemon.#keeperLost(why)),
    });
    const found = await keeper?.found;
    if (found?.trouble) logEvent('warn', 'started_with_less', { why: found.trouble });
    const alive = new Set(found?.sessions.map(({ id }) => id));
    const state = await openState(config, screens, {
      alive,
      // The agent of a keeper that was killed ends by itself.
      lockWithinMs: keeper === null ? 0 : LOCK_WITHIN_MS,
    });
    const adoptions = keeper === null || found === undefined ? [] : adoptionsOf(keeper, found);
    daemon = new Daemon({ config, screens, state, keeper, adoptions, found });
    await keeper?.catchUp();
    daemon.#connect(proveAfterMs);
    return daemon;
  }

  /** Rejects with a readable message if the port is not available. */
  async serveHealth(port: number): Promise<void> {
    await startHealthServer(port, {
      metrics: () => this.#metrics.render(),
      health: () => ({
        status: 'ok',
        version: AGENT_VERSION,
        link: { state: this.#connection?.state.name ?? 'waiting' },
        sessions: this.#agent.sessions.counts(),
        trouble: this.#trouble,
        keeper: this.#keeperFacts,
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
    this.#keeper?.finished(exitCode);
    setTimeout(() => process.exit(exitCode), GOODBYE_MS);
  }

  /** This process was asked to end. With a keeper, only the process ends. */
  end(): Promise<void> {
    return this.#keeper === null ? this.stop(0) : this.leave();
  }

  /** Another agent process takes over the sessions: none of them ends, and nobody is told anything. */
  async leave(): Promise<void> {
    if (this.#isStopping) return;
    this.#isStopping = true;
    logEvent('info', 'leaving');
    // Clients are served until then.
    await this.#keeperStorage?.leave();
    await this.#state.close();
    process.exit(0);
  }

  /** The keeper has ended, and the terminals with it: what still runs is ended too. */
  async #keeperLost(why: string): Promise<void> {
    if (this.#isStopping) return;
    this.#isStopping = true;
    logEvent('error', 'keeper_lost', { why });
    await this.#state.close();
    this.#sayGoodbye();
    await this.#agent.sessions.drain(DRAIN_MS);
    process.exit(1);
  }

  #sayGoodbye(): void {
    this.#connection?.close(CLOSE.goingAway, 'the agent is stopping');
  }

  #adopt({ found, metadata, screen, commands, assist }: Adoption): void {
    const { id, handle, spec, start, end, ledger } = found;
    const session = this.#agent.sessions.adopt({
      id,
      handle,
      spec,
      metadata,
      start,
      end,
      extraBytes: ADOPTED_EXTRA_BYTES,
      ledger,
      screen,
      commands,
      assist,
      spawn: (_, events) => (this.#keeper as KeeperLink).adopt(found, events),
    });
    closeInTime(this.#agent.sessions, session, metadata);
    logEvent('info', 'session_adopted', { session: id });
  }

  #createAgent(epoch: string | undefined): Agent {
    const config = this.#config;
    const env = process.env;
    return new Agent({
      epoch,
      trouble: this.#trouble,
      build: AGENT_VERSION,
      spawn: this.#keeper?.spawn ?? spawnPty,
      ...(config.shellMarks === 'on' ? { markShell: this.#markShell() } : {}),
      openScreen: (size, options) =>
        this.#screens.open(size, { scrollbackLines: config.scrollbackLines, ...options }),
      keep: this.#keeperStorage?.keep ?? this.#state.keep,
      lookForWait: waitingForInput,
      clock: systemClock,
      metrics: () => this.#metrics.render(),
      recoveries: countRecoveries(this.#metrics),
      limits: sessionLimits(config),
      defaults: {
        command: defaultShell(env),
        cwd: homeDirectory(env),
        env: shellEnvironment(env),
        widths: versionOf(config.widths),
      },
      send: (frame) => this.#connection?.send(frame),
    });
  }

  #markShell(): MarkShell {
    return shellMarks({
      folder: this.#scripts,
      without: (shell, why) => logEvent('warn', 'no_shell_marks', { shell, why }),
    });
  }

  /** The link opens later, from the event loop. */
  #connect(proveAfterMs: number): void {
    const { relay, tokenFile, keyFile, workspace, region } = this.#config;
    const identity = new RelayIdentity(keyFile, workspace, (why) =>
      logEvent('warn', 'no_agent_key', { why }),
    );
    this.#connection = new Connection({
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
    logEvent(
      state.name === 'waiting' || state.name === 'closed' ? 'warn' : 'info',
      'link',
      linkDetails(state),
    );
    if (state.name === 'open') {
      this.#wasConnected = true;
      this.#agent.linkOpened();
    } else this.#agent.linkLost();
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
      this.#connection?.redial(error.message);
    }
  }
}

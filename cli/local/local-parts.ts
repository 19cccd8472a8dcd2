/** The relay and the agent that `npm start` and `holdfast up` run: starts them, keeps them running and stops them together. */
import { isatty } from 'node:tty';
import { say } from '../../node/print.ts';
import { systemClock } from '../../node/system-clock.ts';
import { certificateSettings, RELAY_SETTINGS, type Relay, type RelayOptions } from '../relay/relay.ts';
import { AgentLog } from './agent-log.ts';
import { untilAgentOnline } from './agent-online.ts';
import { Interrupts, question } from './interrupts.ts';
import { type LocalAgent, type LocalAgentOptions, startLocalAgent } from './local-agent.ts';
import type { LocalState } from './local-state.ts';
import { localToken, WORKSPACE } from './local-token.ts';
import { readableLine } from './log-line.ts';
import type { RelayPlace } from './relay-place.ts';
import { runningPrograms } from './running-programs.ts';
import { SupervisedPart } from './supervised-part.ts';

/** Nobody waits for this check, so once a second is enough. */
const PARENT_LOOK_MS = 1_000;

export type StartRelay = (options: RelayOptions) => Promise<Relay>;

export interface PartOptions {
  readonly startRelay: StartRelay;
  /** What runs the agent, if it is not built where `npm start` builds it. */
  readonly agentProgram?: LocalAgentOptions['program'];
}

export class LocalParts {
  readonly #state: LocalState;
  readonly #options: PartOptions;
  readonly #stopping = new AbortController();
  readonly #log = new AgentLog((line) => this.#say(line));
  #relay: SupervisedPart<Relay> | null = null;
  #agent: SupervisedPart<LocalAgent> | null = null;

  constructor(state: LocalState, options: PartOptions) {
    this.#state = state;
    this.#options = options;
  }

  async startRelay({ host, port, publicUrl, tls }: RelayPlace): Promise<Relay> {
    say('Starting the relay …');
    const secret = await this.#state.secret();
    const previousSecret = await this.#state.previousSecret();
    const settings: RelayOptions['settings'] = {
      ...Object.fromEntries(RELAY_SETTINGS.map((name) => [name, process.env[name]])),
      RELAY_OWNER_KEY: (await this.#state.owner()).publicKey,
      RELAY_PUBLIC_URL: publicUrl,
      ...(previousSecret === undefined ? {} : { RELAY_SECRET_PREVIOUS: previousSecret }),
    };
    const options = {
      host,
      stateDir: this.#state.relayDir,
      secret,
      settings,
      certificates: certificateSettings(process.env),
      ...(tls === undefined ? {} : { tls }),
      log: (line: string) => this.#sayOfRelay(line),
    };
    this.#relay = await SupervisedPart.start<Relay>({
      name: 'The relay',
      meaning: 'Shells keep running, and pages reconnect by themselves.',
      // The same port each time, because links and the agent refer to it. An address does not name 80 and 443.
      start: (last) => this.#options.startRelay({ ...options, port: port || Number(last?.url.port ?? 0) }),
      ...this.#supervision(),
    });
    return this.#relay.part as Relay;
  }

  /** `certificate`: the relay's own, in a file. The agent trusts it even if nobody else does. */
  async startAgent(relay: URL, certificate?: string): Promise<void> {
    say('Starting the agent …');
    await this.#state.writeAgentToken(await localToken(this.#state, 'agent'));
    const options: LocalAgentOptions = {
      relay,
      workspace: WORKSPACE,
      tokenFile: this.#state.agentTokenFile,
      log: (text: string) => this.#log.read(text),
      isOurs: true,
      ...(this.#options.agentProgram === undefined ? {} : { program: this.#options.agentProgram }),
      ...(certificate === undefined ? {} : { certificate }),
    };
    this.#agent = await SupervisedPart.start<LocalAgent>({
      name: "The agent's keeper",
      meaning: 'The shells have ended with it; pages reconnect by themselves and open new ones.',
      start: async () => startLocalAgent(options),
      // Restarting would only make two agents replace each other in turns.
      whyFinal: () =>
        this.#log.isReplaced ? `Another agent has taken over the workspace "${WORKSPACE}". Stopping.` : null,
      ...this.#supervision(),
    });
  }

  #supervision() {
    return {
      clock: systemClock,
      isEnding: () => this.#stopping.signal.aborted,
      say: (line: string) => this.#say(line),
      gaveUp: () => void this.stop(1),
    };
  }

  untilReady(relay: URL, token: string, certificate?: string): Promise<boolean> {
    return untilAgentOnline({
      relay,
      workspace: WORKSPACE,
      token,
      certificate,
      trouble: () => this.#log.trouble,
      say: (line) => this.#say(line),
      signal: this.#stopping.signal,
    });
  }

  /** Ctrl-C asks for confirmation if a program would be lost; a closed terminal and SIGTERM do not. */
  stopOnSignals(): void {
    const isTerminal = isatty(0);
    const interrupts = new Interrupts({
      clock: systemClock,
      echoes: process.env.npm_lifecycle_event !== undefined,
      programs: () => (isTerminal ? runningPrograms(this.#agent?.part?.pid ?? 0) : []),
      ask: (programs) => say(question(programs)),
      stop: () => void this.stop(0),
    });
    process.on('SIGINT', () => interrupts.interrupt());
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void this.stop(0));
    if (process.env.npm_lifecycle_event !== undefined) this.#stopWithParent();
    // Writing to a closed terminal fails; that must not prevent an orderly stop.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  }

  /** When npm is ended by a signal, this process stays behind, because the shell between them does not pass it on. */
  #stopWithParent(): void {
    const parent = process.ppid;
    const stopWhenGone = () => {
      if (process.ppid !== parent) void this.stop(0);
    };
    setInterval(stopWhenGone, PARENT_LOOK_MS).unref();
  }

  async stop(code: number): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    say('Stopping the agent and its shells, then the relay …');
    this.#stopping.abort();
    await this.#agent?.stop();
    await this.#relay?.stop();
    await this.#state.release();
    process.exit(code);
  }

  #sayOfRelay(line: string): void {
    const readable = readableLine('relay', line);
    if (readable !== null) this.#say(readable);
  }

  /** Prints nothing about parts that end because everything is stopping. */
  #say(line: string): void {
    if (!this.#stopping.signal.aborted) say(line);
  }
}

/**
 * Keeps one agent process attached to the keeper: starts it, starts it again when it ends, replaces it on request, and
 * ends everything at the end.
 *
 *              booted            ready
 *   starting ────────► serving ─────────► serving        An end leads to `waiting`, and that to `starting`.
 *      ▲                  │
 *      └──── waiting ◄────┘              A replacement boots beside the agent that serves, and is attached when that
 *                                        one has left. If it ends before it has booted, nothing changes.
 *
 * The keeper itself is replaced while no agent runs: the new keeper is checked beside this one, the agent leaves, and
 * the new keeper starts another. If that does not succeed, this keeper starts another.
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';
import type { AgentSocket, Keeper } from './keeper.ts';
import { EARLY_END_MS, RestartPolicy } from './restart-policy.ts';
import { versionTrouble } from './versions.ts';

export interface AgentProcess {
  readonly socket: AgentSocket;
  kill(): void;
}

export interface AgentProcessEvents {
  /** It has loaded its code and its settings, and can take over. `version`: of the wire; undefined for the first build. */
  booted(version?: unknown): void;
  /** `how`: `exit code 1`, `SIGKILL`. */
  ended(code: number | null, how: string): void;
  /** It has answered a ping. */
  answered(): void;
}

interface SupervisorOptions {
  readonly keeper: Keeper;
  readonly clock: Clock;
  readonly start: (events: AgentProcessEvents) => AgentProcess;
  readonly log: (level: 'info' | 'warn', event: string, details?: Record<string, string | number>) => void;
  readonly upgrade: KeeperUpgrade;
  /** Whether this keeper has replaced another, whose agent was ready. */
  readonly hasTakenOver?: boolean;
  /** Ends this process. */
  readonly exit: (code: number) => void;
}

export interface KeeperUpgrade {
  /** Whether the new keeper could take over. Resolves with the reason if not, else with null. */
  check(): Promise<string | null>;
  /** Replaces this process and does not return, or returns why not. `later`: try again in a moment. */
  run(): string;
}

interface Running {
  readonly process: AgentProcess;
  hasBooted: boolean;
  readyAt: number | null;
}

/** How long an agent may take to boot on a busy machine; then it hangs. */
const BOOT_WITHIN_MS = 30_000;

/** How long an agent may take to leave, or to end everything. */
const LEAVE_WITHIN_MS = 2_000;
const STOP_WITHIN_MS = 5_000;

/** An agent that has not answered so many pings in a row is stopped or hangs, and is killed. */
const PING_EVERY_MS = 5_000;
const PINGS_UNANSWERED_MAX = 4;

/** How often the end of a program may be waited for before the keeper is replaced, and for how long each time. */
const UNTOLD_TRIES = 1_000;
const UNTOLD_MS = 1;

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #policy = new RestartPolicy();
  #serving: Running | null = null;
  #replacement: Running | null = null;
  #wait: Cancel | null = null;
  #pinging: Cancel | null = null;
  #unanswered = 0;
  #wasReady: boolean;
  /** `checking` the new keeper, or waiting until the agent has left. */
  #upgrading: 'no' | 'checking' | 'leaving' = 'no';
  #wantsUpgrade = false;
  #wantsReload = false;
  /** The exit code, once everything is to end. */
  #ending: number | null = null;
  #hasEnded = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#wasReady = options.hasTakenOver === true;
  }

  /** Starts the first agent. */
  begin(): void {
    this.#serving = this.#start();
    this.#ping();
  }

  /** The agent that serves does its work now. */
  ready(): void {
    if (this.#serving === null) return;
    this.#serving.readyAt = this.#options.clock.now();
    this.#wasReady = true;
    this.#options.log('info', 'agent_ready', { programs: this.#options.keeper.programs.length });
  }

  /** Replaces the agent by a new one, without ending any program. */
  reload(): void {
    // An agent that is starting may have read the files of before. An upgrade brings a new one, if it succeeds.
    this.#wantsReload = this.#replacement !== null || this.#upgrading === 'checking';
    if (this.#isBusy) return;
    this.#options.log('info', 'reloading');
    if (this.#serving === null) return this.#startNow();
    this.#replacement = this.#start();
  }

  /** Replaces this keeper and its agent by new ones, without ending any program. */
  async upgrade(): Promise<void> {
    // A reload that is going on comes first.
    this.#wantsUpgrade = this.#replacement !== null;
    if (this.#isBusy) return;
    const { clock, keeper, log, upgrade } = this.#options;
    log('info', 'upgrading_keeper');
    this.#wantsReload = false;
    this.#upgrading = 'checking';
    const why = await upgrade.check();
    if (this.#ending !== null) return;
    if (why !== null) {
      this.#upgradeFailed(why);
      return this.#wantsReload ? this.reload() : undefined;
    }
    this.#upgrading = 'leaving';
    this.#wait?.();
    this.#wait = null;
    const old = this.#serving;
    if (old === null) return this.#replaceKeeper();
    if (!old.hasBooted) return old.process.kill();
    keeper.tell({ type: 'leave' });
    clock.after(LEAVE_WITHIN_MS, () => old.process.kill());
  }

  /** Ends every program, the agent and this process. */
  stop(code: number): void {
    if (this.#ending !== null) return;
    this.#ending = code;
    const { clock, keeper } = this.#options;
    this.#wait?.();
    this.#replacement?.process.kill();
    // One that has not booted cannot be told.
    if (!this.#serving?.hasBooted) return void this.#end();
    keeper.tell({ type: 'stop' });
    clock.after(STOP_WITHIN_MS, () => void this.#end());
  }

  /** The agent has ended everything it had to end. */
  finished(code: number): void {
    this.#ending ??= code;
    this.#options.clock.after(LEAVE_WITHIN_MS, () => void this.#end());
  }

  get #isBusy(): boolean {
    return this.#ending !== null || this.#replacement !== null || this.#upgrading !== 'no';
  }

  #replaceKeeper(tries = UNTOLD_TRIES): void {
    if (this.#ending !== null) return;
    const { clock, upgrade } = this.#options;
    const why = upgrade.run();
    if (why === 'later' && tries > 0)
      return void clock.after(UNTOLD_MS, () => this.#replaceKeeper(tries - 1));
    this.#upgradeFailed(why === 'later' ? 'how a program ended is not known yet' : why);
    this.#startNow();
  }

  #upgradeFailed(why: string): void {
    this.#upgrading = 'no';
    this.#options.log('warn', 'keeper_upgrade_failed', { why });
  }

  #start(): Running {
    const running: Running = {
      process: this.#options.start({
        booted: (version) => this.#booted(running, version),
        ended: (code, how) => this.#ended(running, code, how),
        answered: () => {
          if (running === this.#serving) this.#unanswered = 0;
        },
      }),
      hasBooted: false,
      readyAt: null,
    };
    this.#options.clock.after(BOOT_WITHIN_MS, () => {
      if (!running.hasBooted) running.process.kill();
    });
    return running;
  }

  #startNow(): void {
    this.#wait?.();
    this.#wait = null;
    this.#serving = this.#start();
  }

  #booted(running: Running, version: unknown): void {
    const trouble = versionTrouble('agent', version);
    if (trouble !== null) {
      this.#options.log('warn', 'agent_refused', { why: trouble });
      return running.process.kill();
    }
    running.hasBooted = true;
    if (running === this.#serving) return this.#attach();
    const { clock, keeper } = this.#options;
    const old = this.#serving;
    if (old === null || this.#ending !== null) return;
    keeper.tell({ type: 'leave' });
    clock.after(LEAVE_WITHIN_MS, () => old.process.kill());
  }

  #attach(): void {
    const { keeper } = this.#options;
    if (this.#serving === null) return;
    this.#unanswered = 0;
    keeper.attach(this.#serving.process.socket, this.#policy.start, this.#policy.trouble);
  }

  #ended(running: Running, code: number | null, how: string): void {
    const { clock, keeper, log } = this.#options;
    if (running === this.#replacement) {
      this.#replacement = null;
      log('warn', 'reload_failed', { how });
      return this.#reloaded();
    }
    if (running !== this.#serving) return;
    this.#serving = null;
    keeper.detach();
    if (this.#ending !== null) return void this.#end();
    if (this.#upgrading === 'leaving') return this.#replaceKeeper();
    const ranMs = running.readyAt === null ? null : clock.now() - running.readyAt;
    if (this.#replacement !== null) {
      // It was asked to leave, which is no early end. If it had run for a while, the trouble is over.
      if (ranMs !== null && ranMs >= EARLY_END_MS) this.#policy.ended(ranMs, how);
      return this.#promote();
    }
    // Settings that cannot be used: nobody waits for this agent, and the person who started it reads why.
    if (!this.#wasReady && keeper.programs.length === 0 && code !== null) return void this.#end(code);
    const delay = this.#policy.ended(ranMs, how);
    log('warn', 'agent_ended', { how, programs: keeper.programs.length, again_in_ms: delay });
    this.#wait = clock.after(delay, () => this.#startNow());
  }

  #promote(): void {
    this.#serving = this.#replacement;
    this.#replacement = null;
    if (this.#serving?.hasBooted) this.#attach();
    this.#reloaded();
  }

  #reloaded(): void {
    if (this.#wantsUpgrade) void this.upgrade();
    else if (this.#wantsReload) this.reload();
  }

  #ping(): void {
    const { clock, keeper, log } = this.#options;
    this.#pinging = clock.after(PING_EVERY_MS, () => {
      if (this.#serving?.hasBooted) {
        if (this.#unanswered >= PINGS_UNANSWERED_MAX) {
          log('warn', 'agent_hangs');
          this.#serving.process.kill();
          this.#unanswered = 0;
        } else {
          this.#unanswered++;
          keeper.tell({ type: 'ping' });
        }
      }
      this.#ping();
    });
  }

  async #end(code = this.#ending ?? 0): Promise<void> {
    this.#ending = code;
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#pinging?.();
    this.#replacement?.process.kill();
    await this.#options.keeper.endAll();
    this.#serving?.process.kill();
    this.#options.exit(code);
  }
}

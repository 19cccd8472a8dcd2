/**
 * A chaos run: participants type and watch while faults happen, and nothing may be lost, duplicated, reordered or
 * altered.
 *
 * A round is one fault of a shared part, or one fault each of several clients. Before it everybody types, so that data
 * is in flight in both directions; after it everybody types again, and the time until the program's answer is shown is
 * the recovery time.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ChaosProxy } from '../support/chaos-proxy.ts';
import { HeadlessClient } from '../support/headless-client.ts';
import { type SeededRandom, seededRandom } from '../support/seeded-random.ts';
import { TestRelay } from '../support/test-relay.ts';
import { World } from '../support/world.ts';
import { CommandRunner } from './command-runner.ts';
import { EndingProgram } from './ending-program.ts';
import { clientFault, commonFault, DRILLS, type Drill, type Fault, type Pace, type Scene } from './faults.ts';
import { HeadlessParticipant } from './headless-participant.ts';
import { PageParticipant } from './page-participant.ts';
import type { Participant } from './participant.ts';

export interface ChaosOptions {
  readonly seed: number;
  readonly faults: number;
  readonly clients: number;
  readonly withPage: boolean;
  readonly pace: Pace;
  /** Commands that assistants run meanwhile, at least; 0: nobody runs any. Faults go on until they are done. */
  readonly commands?: number;
  /** Nothing else happens. */
  readonly only?: Drill | undefined;
  readonly log?: (line: string) => void;
}

export interface ChaosReport {
  readonly seed: number;
  readonly only: Drill | undefined;
  /** How many were requested; a round may add a few. */
  readonly wanted: number;
  readonly faults: number;
  readonly violations: readonly string[];
  /** Recovery times in milliseconds, by kind of fault. */
  readonly recoveries: ReadonlyMap<string, readonly number[]>;
  readonly checkedBytes: number;
  readonly typedBytes: number;
  /** Programs that ended around a fault, and whose exit codes were checked. */
  readonly endings: number;
  /** Commands that assistants ran, and how often one was asked for again. */
  readonly commands: number;
  readonly repeated: number;
  readonly seconds: number;
  /** What happened, in order. */
  readonly story: readonly string[];
}

/** A client that is not back by then never will be: twice the worst case of detecting, waiting and dialling. */
const BACK_WITHIN_MS = 60_000;
/** How often a round has faults of individual clients. */
const OWN_ROUNDS = 0.55;
/** How many of them are affected. */
const TOUCHED = 0.9;
/** A page's burst must fit its screen. */
const PAGE_BURST_LINES = 8;
const BURST_LINES = 120;

class ChaosRun {
  readonly #options: ChaosOptions;
  readonly #random: SeededRandom;
  readonly #scene: Scene;
  readonly #participants: readonly Participant[];
  readonly #recoveries = new Map<string, number[]>();
  readonly #story: string[] = [];
  readonly #stuck: string[] = [];
  /** For the programs that end. */
  readonly #observer: HeadlessClient;
  readonly #endingViolations: string[] = [];
  readonly #runners: readonly CommandRunner[];
  #endings = 0;
  #done = 0;

  constructor(
    options: ChaosOptions,
    scene: Scene,
    participants: readonly Participant[],
    observer: HeadlessClient,
    runners: readonly CommandRunner[],
  ) {
    this.#runners = runners;
    this.#observer = observer;
    this.#options = options;
    this.#random = scene.random;
    this.#scene = scene;
    this.#participants = participants;
  }

  async run(): Promise<ChaosReport> {
    const startedAt = performance.now();
    let isOver = false;
    const running = this.#runners.map((runner) => runner.run(() => isOver));
    while (!this.#isDone && this.#violations().length === 0) await this.#round();
    isOver = true;
    await Promise.all(running);
    const sum = (of: (participant: Participant) => number) =>
      this.#participants.reduce((total, participant) => total + of(participant), 0);
    return {
      seed: this.#options.seed,
      only: this.#options.only,
      wanted: this.#options.faults,
      faults: this.#done,
      violations: this.#violations(),
      recoveries: this.#recoveries,
      checkedBytes: sum(({ checkedBytes }) => checkedBytes),
      typedBytes: sum(({ typist }) => typist.typed),
      endings: this.#endings,
      commands: this.#commands,
      repeated: this.#runners.reduce((total, { repeated }) => total + repeated, 0),
      seconds: (performance.now() - startedAt) / 1000,
      story: this.#story,
    };
  }

  get #isDone(): boolean {
    return this.#done >= this.#options.faults && this.#commands >= (this.#options.commands ?? 0);
  }

  get #commands(): number {
    return this.#runners.reduce((total, { commands }) => total + commands, 0);
  }

  async #round(): Promise<void> {
    const isOwn = this.#options.only === undefined && this.#random.chance(OWN_ROUNDS);
    const faults = isOwn ? this.#ownFaults() : this.#commonFault();
    const reloads = faults.some(({ fault }) => fault.kind === 'page: reloaded');
    for (const participant of this.#participants) {
      // Unsent data of a page is lost with it.
      if (!(reloads && participant.reload !== undefined)) await this.#type(participant);
    }
    const ending = await EndingProgram.start(this.#observer, this.#random);
    await sleep(this.#random.int(0, 40));
    await Promise.all(faults.map((fault) => this.#endure(fault)));
    await this.#settle();
    await this.#within(this.#checkEnding(ending), 'a program that ends');
    this.#options.log?.(`${this.#done} faults: ${faults.map(({ fault }) => fault.kind).join(', ')}`);
  }

  #ownFaults(): { fault: Fault; affected: readonly Participant[] }[] {
    const isLong = this.#random.chance(this.#scene.pace.longChance);
    return this.#participants
      .filter(() => this.#random.chance(TOUCHED))
      .map((participant) => ({
        fault: clientFault(participant, this.#scene, isLong),
        affected: [participant],
      }));
  }

  #commonFault(): { fault: Fault; affected: readonly Participant[] }[] {
    const { only } = this.#options;
    const fault = only === undefined ? commonFault(this.#scene) : DRILLS[only](this.#scene);
    return [{ fault, affected: this.#participants }];
  }

  /** The recovery ends when the last affected client has its answer. */
  async #endure({ fault, affected }: { fault: Fault; affected: readonly Participant[] }): Promise<void> {
    this.#story.push(fault.kind);
    try {
      await fault.happen();
    } catch (error) {
      this.#stuck.push(`${fault.kind}: ${error}`);
      return;
    }
    const endedAt = performance.now();
    const back = affected.map(async (participant) => {
      await participant.typist.line(`after ${this.#done}`);
      await participant.typist.isHeard();
    });
    if (!(await this.#within(Promise.all(back), fault.kind))) return;
    const times = this.#recoveries.get(fault.kind) ?? [];
    this.#recoveries.set(fault.kind, [...times, performance.now() - endedAt]);
    this.#done++;
  }

  async #settle(): Promise<void> {
    const settled = this.#participants.map((one) => one.isUpToDate(this.#participants));
    await this.#within(Promise.all(settled), 'everybody up to date');
  }

  async #checkEnding(ending: EndingProgram): Promise<void> {
    this.#endingViolations.push(...(await ending.violations()));
    this.#endings++;
  }

  async #within(promise: Promise<unknown>, what: string): Promise<boolean> {
    const timeout = new AbortController();
    const late = sleep(BACK_WITHIN_MS, 'late', { signal: timeout.signal }).catch(() => 'on time');
    const isLate = (await Promise.race([promise, late])) === 'late';
    timeout.abort();
    if (isLate) {
      const behind = this.#participants.flatMap(({ name, typist }) => (typist.unheard > 0 ? [name] : []));
      this.#stuck.push(`not back ${BACK_WITHIN_MS / 1000} s after: ${what} (unheard: ${behind.join(', ')})`);
    }
    return !isLate;
  }

  async #type(participant: Participant): Promise<void> {
    const lines = participant.reload === undefined ? BURST_LINES : PAGE_BURST_LINES;
    await participant.typist.line(
      this.#random.chance(0.5) ? `burst ${this.#random.int(1, lines)}` : `before ${this.#done}`,
    );
  }

  #violations(): string[] {
    return [
      ...this.#participants.flatMap((one) => one.violations()),
      ...this.#endingViolations,
      ...this.#runners.flatMap((runner) => runner.violations()),
      ...this.#stuck,
    ];
  }
}

export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const random = seededRandom(options.seed);
  const relay = await TestRelay.onWorkerd();
  await using agentLeg = await ChaosProxy.to(relay.url);
  await using world = await World.open({ legs: { agent: agentLeg.url, client: relay.url } }, relay);
  await using legs = new AsyncDisposableStack();
  const newLeg = async () => legs.use(await ChaosProxy.to(relay.url));
  const page = options.withPage ? await openPage(world, await newLeg()) : null;
  if (page !== null) legs.defer(() => page.leave());

  const headless: HeadlessParticipant[] = [];
  for (let i = 0; i < options.clients; i++) {
    const leg = await newLeg();
    const client = legs.use(new HeadlessClient(leg.url, relay.workspace, await relay.token('operator')));
    await client.online();
    // Every other program is silent unless something is typed: after its last byte nothing shows that one is missing.
    headless.push(await HeadlessParticipant.join(`client ${i}`, leg, client, i % 2 === 0 ? 20 : 0));
  }
  for (const participant of headless) participant.watch(headless);
  for (const participant of headless) await participant.isReady();

  const scene = { relay, agentLeg, world, random, pace: options.pace };
  const participants = [...(page === null ? [] : [page]), ...headless];
  const runners = await openRunners(options, relay, legs);
  return await new ChaosRun(options, scene, participants, await world.client(), runners).run();
}

/** Assistants that run commands, one in a shell with our script and one in a shell without. */
async function openRunners(
  { commands = 0, seed }: ChaosOptions,
  relay: TestRelay,
  legs: AsyncDisposableStack,
): Promise<CommandRunner[]> {
  if (commands === 0) return [];
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-chaos-'));
  legs.defer(() => rmSync(dir, { recursive: true }));
  const open = async (shell: 'bash' | 'sh', seedOfItsOwn: number) => {
    const leg = legs.use(await ChaosProxy.to(relay.url));
    const client = legs.use(new HeadlessClient(leg.url, relay.workspace, await relay.token('operator')));
    await client.online();
    const random = seededRandom(seedOfItsOwn);
    return CommandRunner.open({ client, leg, random, shell, file: join(dir, shell) });
  };
  // Choices of their own, so that a seed has the same faults with and without them.
  return [await open('bash', seed + 1), await open('sh', seed + 2)];
}

async function openPage(world: World, leg: ChaosProxy): Promise<PageParticipant> {
  const page = await (await world.browserContext()).newPage();
  const url = new URL(`/w/${world.relay.workspace}?renderer=dom`, leg.url);
  await page.goto(`${url}#token=${await world.relay.token('operator')}`);
  return PageParticipant.join(page, leg);
}

/**
 * An assistant that runs one command after the other while faults happen. Each command adds a line to a file and ends
 * with an exit code of its own, so that what was run twice, not at all, or told wrongly shows.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../../protocol/errors.ts';
import type { RunState } from '../../protocol/messages/run-state.ts';
import type { ChaosProxy } from '../support/chaos-proxy.ts';
import type { HeadlessClient } from '../support/headless-client.ts';
import type { SeededRandom } from '../support/seeded-random.ts';

const SIZE = { cols: 80, rows: 24 };

/** How long one call waits, and how long a command may take with all of its repetitions. */
const WAIT_MS = 10_000;
const ANSWERED_WITHIN_MS = 120_000;

/** A command ends at once, or around the next fault. */
const SLEEPS_MS = [0, 0, 0, 50, 400, 1_500];

/** Longer than what is typed at once, so that an agent dies in the middle of it; less than a line of sh may have. */
const PADDING_CHARS = 2_500;

/** Exit codes of a program; higher ones mean signals to a shell. */
const CODE_MAX = 125;

/** What a lost connection and a busy machine are answered with; the same command is asked for again. */
const REPEATED: ReadonlySet<string> = new Set(['agent_offline', 'shell_busy', 'keyboard_busy', 'slow_down']);

interface Ran {
  readonly number: number;
  readonly exitCode: number;
  readonly told: RunState;
}

interface RunnerOptions {
  readonly client: HeadlessClient;
  /** Its path to the relay, which is cut now and then. */
  readonly leg: ChaosProxy;
  readonly random: SeededRandom;
  readonly shell: 'bash' | 'sh';
  /** A file that does not exist. */
  readonly file: string;
}

export class CommandRunner {
  readonly #options: RunnerOptions;
  readonly #session: string;
  readonly #ran: Ran[] = [];
  readonly #stuck: string[] = [];
  /** How often a command was asked for again. */
  repeated = 0;

  private constructor(options: RunnerOptions, session: string) {
    this.#options = options;
    this.#session = session;
  }

  static async open(options: RunnerOptions): Promise<CommandRunner> {
    const { client, shell } = options;
    const { id } = await client.client.create({ ...SIZE, command: shell, name: `runs in ${shell}` });
    return new CommandRunner(options, id);
  }

  get commands(): number {
    return this.#ran.length;
  }

  /** Runs commands until `isOver` says so, or one fails. */
  async run(isOver: () => boolean): Promise<void> {
    while (!isOver() && this.#stuck.length === 0) await this.#next(this.#ran.length);
  }

  violations(): string[] {
    return [...this.#stuck, ...runViolations(this.#ran, writtenIn(this.#options.file))];
  }

  async #next(number: number): Promise<void> {
    const { file, random, shell } = this.#options;
    const exitCode = random.int(0, CODE_MAX);
    const seconds = (SLEEPS_MS[random.int(0, SLEEPS_MS.length - 1)] ?? 0) / 1000;
    const padding = random.chance(0.3) ? `: ${'x'.repeat(random.int(1, PADDING_CHARS))}; ` : '';
    const command = `${padding}echo ${number} >> ${file}; sleep ${seconds}; echo out-${number}; (exit ${exitCode})`;
    // One is known by its holder, the other by its connection.
    const by = {
      act: `${shell}-${number}`,
      actor: 'Chaos',
      ...(shell === 'bash' ? { holder: 'chaos' } : {}),
    };
    const cutting = random.chance(0.1) ? this.#cutSoon(random.int(0, 300)) : undefined;
    const told = await this.#answer(command, by);
    await cutting;
    if (told !== undefined) this.#ran.push({ number, exitCode, told });
  }

  async #cutSoon(afterMs: number): Promise<void> {
    await sleep(afterMs);
    this.#options.leg.cut();
  }

  async #answer(command: string, by: { act: string }): Promise<RunState | undefined> {
    const { client } = this.#options;
    const giveUpAt = performance.now() + ANSWERED_WITHIN_MS;
    let last = '';
    while (performance.now() < giveUpAt) {
      try {
        const state = await client.client.assistant.run(this.#session, command, { ...by, waitMs: WAIT_MS });
        // A guess, if the machine is slow.
        if (state.state !== 'running' && state.state !== 'needs_input') return state;
        last = state.state;
      } catch (error) {
        last = error instanceof Refusal ? `${error.code}: ${error.message}` : String(error);
        if (!(error instanceof Refusal) || !REPEATED.has(error.code)) break;
        await sleep(100);
      }
      this.repeated++;
    }
    this.#stuck.push(`the command ${by.act} got no answer, at last: ${last}`);
    return undefined;
  }
}

/** The numbers that commands have written. */
function writtenIn(file: string): number[] {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(0, -1).map(Number);
  } catch {
    return []; // none has run
  }
}

/** What was run otherwise than once and in order, or told otherwise than it was. */
export function runViolations(ran: readonly Ran[], written: readonly number[]): string[] {
  const doubled = written.filter((number, at) => written.indexOf(number) !== at);
  const missing = ran.filter(({ number }) => !written.includes(number));
  return [
    ...doubled.map((number) => `command ${number} was run again`),
    ...missing.map(({ number }) => `command ${number} was not run`),
    ...written.flatMap((number, at) =>
      at > 0 && number < (written[at - 1] as number) ? [`command ${number} was run late`] : [],
    ),
    ...ran.flatMap(({ number, exitCode, told }) => [
      ...(told.state === 'done' && told.exitCode === exitCode
        ? []
        : [`command ${number} ended with ${exitCode}, and was told as ${told.state} with ${told.exitCode}`]),
      ...(told.output === `out-${number}`
        ? []
        : [`command ${number} was told to have printed ${JSON.stringify(told.output.slice(0, 200))}`]),
    ]),
  ];
}

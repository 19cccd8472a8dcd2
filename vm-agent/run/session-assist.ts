/** What assistants do in one session: they run commands in its shell, and type. Rules AS1 to AS4. */
import { createHash } from 'node:crypto';
import type { Clock } from '../../protocol/clock.ts';
import { Refusal } from '../../protocol/errors.ts';
import { FIRST_PROMPT_MAX_MS } from '../../protocol/limits.ts';
import type { RunState } from '../../protocol/messages/run-state.ts';
import { type Assistant, takenOver } from '../keyboard/keyboard.ts';
import { pasted } from '../keyboard/paste-mode.ts';
import type { ForegroundLook } from '../pty/foreground-look.ts';
import type { SessionInput } from '../terminal/session-input.ts';
import type { AssistCall } from './assist-call.ts';
import { AssistTyping, instanceOf } from './assist-typing.ts';
import { type OutputSource, runText } from './run-output.ts';
import { type KnownRun, type RunFacts, SessionRuns } from './session-runs.ts';
import { busy, shellReady } from './shell-ready.ts';
import { typedCommand } from './typed-command.ts';

/** The session, as far as assistants use it. */
export interface AssistedSession extends OutputSource {
  readonly marksNonce: string;
  readonly input: Pick<SessionInput, 'accept' | 'write' | 'promise'>;
  readonly hasExited: boolean;
  readonly ageMs: number;
  /** The name of the program that was started. */
  readonly program: string;
  /** Whether the shell is at its prompt, as its marks tell; undefined if it makes none. */
  readonly isAtPrompt: boolean | undefined;
  /** Counts the prompts that the shell has marked. */
  readonly prompts: number;
  /** The command that runs, as marks tell. */
  readonly running: string | null;
  cwd(): string | null;
  /** What the system tells of the foreground; null if nothing. */
  look(): ForegroundLook | null;
  /** The program in the foreground that waits for input; null if none does. */
  waiting(): Promise<string | null>;
  /** Signals the program in the foreground. False if there is none. */
  signal(name: NodeJS.Signals): boolean;
  /** Something is typed. */
  touched(): void;
  /** Stores the runs for another agent process. */
  store(runs: readonly RunFacts[]): void;
}

interface AssistOptions {
  readonly session: AssistedSession;
  readonly clock: Clock;
  readonly saved: readonly RunFacts[];
  /** The keyboard has another holder. */
  readonly keyboardChanged: () => void;
}

/** One request of an assistant. */
export interface AssistRequest {
  readonly assistant: Assistant;
  readonly act: string;
  readonly waitMs: number;
}

/** How often it is looked whether a shell is ready. */
const LOOK_READY_MS = 25;

/** When it is first looked whether a program waits for input, and the longest time until it is looked again. */
const FIRST_LOOK_MS = 300;
const LOOK_MAX_MS = 2_000;

/** A program that waits is looked at twice, because it may just be about to go on. */
const CONFIRM_MS = 200;

/** A shell that was started this long ago has shown its first prompt, or never will. */
const YOUNG_MS = 15_000;

export class SessionAssist {
  readonly typing: AssistTyping;
  readonly #session: AssistedSession;
  readonly #clock: Clock;
  readonly #runs: SessionRuns;
  /** Acts that have not been typed yet; a repeated request waits for the first. */
  readonly #beginning = new Map<string, Promise<KnownRun>>();
  #printedAt: number;

  constructor({ session, clock, saved, keyboardChanged }: AssistOptions) {
    this.#session = session;
    this.#clock = clock;
    this.#runs = new SessionRuns(Date.now, saved);
    this.typing = new AssistTyping(session, clock, keyboardChanged);
    this.#printedAt = clock.now();
  }

  /** `bytes` were printed at `offset`; they are valid during this call only. */
  printed(offset: number, bytes: Uint8Array): void {
    this.#printedAt = this.#clock.now();
    this.typing.printed(bytes);
    if (!this.#runs.printed(offset, bytes)) return;
    this.#session.store(this.#runs.save());
    this.typing.changed();
  }

  exited(exitCode: number | null, end: number): void {
    this.#runs.exited(exitCode, end);
    this.typing.changed();
  }

  /** The connection of an assistant has ended. */
  gone(assistant: string): void {
    this.typing.gone(assistant, this.#runs.isBusy);
  }

  /** Runs a command, or waits for the run of an earlier request. Rejects with a Refusal. */
  async run({ assistant, act, waitMs }: AssistRequest, command: string): Promise<RunState> {
    const once = digest(command);
    const call = this.typing.open(assistant, waitMs);
    try {
      // If the first request was given up before anything was typed, this one takes its place.
      const known = this.#runs.find(act) ?? (await this.#beginning.get(act)?.catch(() => undefined));
      if (known !== undefined && known.facts.once !== once)
        throw new Refusal('input_conflict', 'This id was used for another command. Choose another.');
      const run = known ?? (await this.#beginOnce(call, act, command));
      if (known !== undefined && !known.hasEnded) this.typing.join(call, known.assistant);
      run.assistant = assistant.id;
      return await this.#outcome(run, call);
    } finally {
      this.typing.close(call);
    }
  }

  /** Types a text. Resolves with the length of the output before it. Rejects with a Refusal. */
  async type({ assistant, act, waitMs }: AssistRequest, text: string, paste: boolean): Promise<number> {
    const { typing } = this;
    const call = typing.open(assistant, waitMs);
    try {
      if (this.#session.hasExited) throw exited();
      this.#session.input.promise(instanceOf(act), digest(`${paste} ${text}`));
      await typing.granted(call);
      const offset = this.#session.end;
      await typing.type(call, act, paste && typing.pastes ? pasted(text) : text);
      return offset;
    } finally {
      typing.close(call);
    }
  }

  /** Signals the program in the foreground. Returns its name, or null if that is not known. */
  signal(name: NodeJS.Signals): string | null {
    const program = this.#session.look()?.program ?? null;
    if (this.#session.hasExited || !this.#session.signal(name)) throw exited();
    return program;
  }

  /** Two requests with the same act share its beginning. */
  #beginOnce(call: AssistCall, act: string, command: string): Promise<KnownRun> {
    const beginning = this.#begin(call, act, command).finally(() => this.#beginning.delete(act));
    this.#beginning.set(act, beginning);
    return beginning;
  }

  async #begin(call: AssistCall, act: string, command: string): Promise<KnownRun> {
    const session = this.#session;
    await this.typing.granted(call);
    const { shell, isMarked } = await this.#ready(call);
    const once = digest(command);
    // The same in every process, so that a run can be continued by another.
    const nonce = isMarked ? session.marksNonce : digest(`${session.marksNonce} ${act}`).slice(0, 22);
    const text = typedCommand(command, nonce, { shell, isMarked, pastes: this.typing.pastes });
    session.input.promise(instanceOf(act), once);
    const from = session.end;
    this.#runs.supersede(from);
    const run = this.#runs.add({
      ...{ act, once, text, nonce, isMarked, from },
      ...{ typedAt: Date.now(), durationMs: null, place: null, takenBy: null },
    });
    // Stored first: whatever was typed must be known to the next process.
    session.store(this.#runs.save());
    return run;
  }

  async #outcome(run: KnownRun, call: AssistCall): Promise<RunState> {
    if (run.facts.text !== '') await this.#typeRun(run, call);
    const isSettled = () => run.hasEnded || run.facts.takenBy !== null || call.takenBy !== null;
    for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(LOOK_MAX_MS, pauseMs * 2)) {
      await call.until(isSettled, pauseMs);
      if (isSettled() || call.isOver) return this.#answer(run, call);
      const waiting = await this.#waitingProgram(run, call);
      if (waiting !== null) return this.#answer(run, call, waiting);
    }
  }

  async #typeRun(run: KnownRun, call: AssistCall): Promise<void> {
    try {
      await this.typing.type(call, run.facts.act, run.facts.text);
      run.facts = { ...run.facts, text: '' };
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'taken_over') throw error;
      run.facts = { ...run.facts, text: '', takenBy: call.takenBy };
    } finally {
      this.#session.store(this.#runs.save());
    }
  }

  /** The program that waits for input; null if none does. */
  async #waitingProgram(run: KnownRun, call: AssistCall): Promise<string | null> {
    const waits = async () => {
      if (this.#clock.now() - this.#printedAt < FIRST_LOOK_MS) return null;
      if (run.place.outputFrom !== null) return this.#session.waiting();
      // The line was typed and nothing has begun: the shell wants the rest of it.
      const look = this.#session.look();
      return look?.isOwn && look.reads ? look.program : null;
    };
    if ((await waits()) === null) return null;
    const printedAt = this.#printedAt;
    if (await call.until(() => run.hasEnded || call.takenBy !== null, CONFIRM_MS)) return null;
    return this.#printedAt === printedAt ? waits() : null;
  }

  async #answer(run: KnownRun, call: AssistCall, waiting: string | null = null): Promise<RunState> {
    const session = this.#session;
    const { outputFrom, outputTo, exitCode, number } = run.place;
    const to = outputTo ?? session.end;
    const by = run.facts.takenBy ?? call.takenBy;
    const state = stateOf(run, by, waiting);
    const text =
      outputFrom === null
        ? { output: '', omittedBytes: 0 }
        : await runText({ from: outputFrom, to, head: run.begun }, session);
    const program = state === 'done' ? null : (waiting ?? session.look()?.program);
    return {
      state,
      exitCode,
      durationMs: run.runMs(Date.now()),
      ...text,
      offset: to,
      cwd: session.cwd(),
      ...(program ? { program } : {}),
      ...(state === 'needs_input' ? { guessed: true } : {}),
      ...(state === 'taken_over' && by !== null ? { by } : {}),
      ...(number === null ? {} : { command: number }),
    };
  }

  /** Resolves when the shell waits for a command. */
  async #ready(call: AssistCall): Promise<{ shell: string; isMarked: boolean }> {
    const session = this.#session;
    const giveUpAt = this.#clock.now() + FIRST_PROMPT_MAX_MS;
    for (;;) {
      if (session.hasExited) throw exited();
      const look = session.look();
      const ready = shellReady({
        look,
        isAtPrompt: session.isAtPrompt,
        running: session.running,
        isLineOpen: this.typing.isLineOpen,
        isYoung: session.ageMs < YOUNG_MS,
        quietMs: this.#clock.now() - this.#printedAt,
      });
      if (call.takenBy !== null) throw takenOver(call.takenBy);
      if (ready === 'marked' || ready === 'unmarked')
        return { shell: look?.program ?? session.program, isMarked: ready === 'marked' };
      if (ready !== 'later') throw ready;
      if (call.isOver || this.#clock.now() >= giveUpAt) throw busy('It shows no prompt.');
      await call.until(() => session.hasExited || call.takenBy !== null, LOOK_READY_MS);
    }
  }
}

function stateOf(run: KnownRun, takenBy: string | null, waiting: string | null): RunState['state'] {
  if (run.hasEnded) return 'done';
  if (takenBy !== null) return 'taken_over';
  return waiting === null ? 'running' : 'needs_input';
}

const exited = () => new Refusal('session_exited', 'The program of this session has ended.');

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

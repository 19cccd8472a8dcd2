/** What assistants do in one session: they run commands in its shell, and type. Rules AS1 to AS4. */
import { createHash } from 'node:crypto';
import type { Clock } from '../../protocol/clock.ts';
import { Refusal } from '../../protocol/errors.ts';
import { FIRST_PROMPT_MAX_MS } from '../../protocol/limits.ts';
import type { RunState } from '../../protocol/messages/run-state.ts';
import { takenOver } from '../keyboard/keyboard.ts';
import { pasted } from '../keyboard/paste-mode.ts';
import type { AssistCall, AssistRequest } from './assist-call.ts';
import { AssistTyping } from './assist-typing.ts';
import type { AssistedSession } from './assisted-session.ts';
import { TYPED } from './run.ts';
import { runAnswer } from './run-answer.ts';
import type { SavedAssist } from './saved-assist.ts';
import { type KnownRun, SessionRuns } from './session-runs.ts';
import { busy, exited, shellReady } from './shell-ready.ts';
import { instanceOf } from './text-typing.ts';
import { typedCommand } from './typed-command.ts';
import { WaitingProgram } from './waiting-program.ts';

interface AssistOptions {
  readonly session: AssistedSession;
  readonly clock: Clock;
  /** What another agent process knew. */
  readonly saved: SavedAssist | undefined;
  /** The keyboard has another holder. */
  readonly keyboardChanged: () => void;
}

/** How often it is looked whether a shell is ready: at first, and after a second. */
const LOOK_READY_MS = 25;
const LOOK_READY_LATER_MS = 200;
const LATER_AFTER_LOOKS = 40;

/** When it is first looked whether a program waits for input, and the longest time until it is looked again. */
const FIRST_LOOK_MS = 300;
const LOOK_MAX_MS = 2_000;

/** A shell that was started this long ago has shown its first prompt, or never will. */
const YOUNG_MS = 15_000;

export class SessionAssist {
  readonly typing: AssistTyping;
  readonly #session: AssistedSession;
  readonly #clock: Clock;
  readonly #runs: SessionRuns;
  readonly #waitingProgram: WaitingProgram;
  /** Acts that have not been typed yet; a repeated request waits for the first. */
  readonly #beginning = new Map<string, { readonly once: string; readonly run: Promise<KnownRun> }>();
  #printedAt: number;

  constructor({ session, clock, saved, keyboardChanged }: AssistOptions) {
    this.#session = session;
    this.#clock = clock;
    this.#printedAt = clock.now();
    // What was not typed before the other process ended is typed when it is asked for again.
    const typed = saved?.runs.filter(({ act }) => session.input.accepted(instanceOf(act)) > 0);
    this.#runs = new SessionRuns(Date.now, typed);
    this.#waitingProgram = new WaitingProgram(session, clock, () => this.#printedAt);
    this.typing = new AssistTyping(session, clock, {
      keyboardChanged,
      dropped: ({ act, by }) => {
        this.#runs.dropped(act, by);
        this.#store();
      },
      saves: () => this.#store(),
      interrupted: () => this.#runs.interrupted(),
    });
    if (saved !== undefined) this.typing.texts.restore(saved);
  }

  /** `bytes` were printed at `offset`; they are valid during this call only. Called for every read of the terminal. */
  printed(offset: number, bytes: Uint8Array): void {
    this.#printedAt = this.#clock.now();
    this.typing.printed(bytes);
    if (!this.#runs.printed(offset, bytes)) return;
    this.#store();
    this.typing.changed();
  }

  exited(exitCode: number | null, end: number): void {
    this.#runs.exited(exitCode, end);
    this.#store();
    this.typing.changed();
  }

  /** A connection has ended. */
  gone(connection: string): void {
    this.typing.gone(connection, this.#runs.open?.assistant === connection);
  }

  /** Runs a command, or waits for the run of an earlier request. Rejects with a Refusal. */
  async run(request: AssistRequest, command: string): Promise<RunState> {
    const { act, assistant } = request;
    const call = this.typing.open(request);
    try {
      // If an earlier request is given up before anything was typed, this one takes its place.
      while (this.#find(act, command) === undefined && this.#beginning.has(act)) await this.#begun(call, act);
      const known = this.#find(act, command);
      const run = known ?? (await this.#beginOnce(call, act, command));
      if (known !== undefined && !known.hasEnded) {
        this.typing.join(call, known.assistant);
        if (call.isGranted) this.typing.texts.resume(act);
      }
      run.assistant = assistant.id;
      return await this.#outcome(run, call);
    } finally {
      this.typing.close(call);
    }
  }

  /** Types a text. Resolves with the length of the output before it. Rejects with a Refusal. */
  async type(request: AssistRequest, text: string, paste: boolean): Promise<number> {
    const { act } = request;
    const call = this.typing.open(request);
    try {
      await this.typing.granted(call);
      this.#session.input.promise(instanceOf(act), digest(`${paste} ${text}`));
      const offset = this.#session.end;
      await this.typing.type(call, { act, text: paste && this.typing.pastes ? pasted(text) : text });
      return offset;
    } finally {
      this.typing.close(call);
    }
  }

  /** Signals the program in the foreground. Returns its name, or null if that is not known. */
  signal(name: NodeJS.Signals): string | null {
    if (this.#session.hasExited) throw exited();
    const program = this.#session.look()?.program ?? null;
    if (!this.#session.signal(name)) throw exited();
    this.#runs.interrupted();
    return program;
  }

  /** The run of an earlier request with this act; undefined if nothing was typed yet. */
  #find(act: string, command: string): KnownRun | undefined {
    const run = this.#runs.find(act);
    const once = run?.facts.once ?? this.#beginning.get(act)?.once;
    if (once !== undefined && once !== digest(command))
      throw new Refusal('input_conflict', 'This id was used for another command. Choose another.');
    return run;
  }

  /** Resolves when an earlier request has typed its command, or is given up. */
  async #begun(call: AssistCall, act: string): Promise<void> {
    const beginning = this.#beginning.get(act);
    beginning?.run.then(
      () => call.changed(),
      () => call.changed(),
    );
    if (!(await call.until(() => this.#beginning.get(act) !== beginning))) throw this.#notReady();
  }

  /** Two requests with the same act share its beginning. */
  #beginOnce(call: AssistCall, act: string, command: string): Promise<KnownRun> {
    const run = this.#begin(call, act, command).finally(() => this.#beginning.delete(act));
    this.#beginning.set(act, { once: digest(command), run });
    return run;
  }

  async #begin(call: AssistCall, act: string, command: string): Promise<KnownRun> {
    if (this.#session.input.accepted(instanceOf(act)) > 0)
      throw new Refusal('output_gone', 'This command was run before, and how it ended is no longer known.');
    await this.typing.granted(call);
    const giveUpAt = this.#clock.now() + FIRST_PROMPT_MAX_MS;
    const waits = { since: this.#clock.now(), looks: 0 };
    for (let looks = 0; ; looks++) {
      if (call.takenBy !== null) throw takenOver(call.takenBy);
      const shell = this.#readyShell(waits);
      // In one step: no other call finds the same prompt.
      if (shell !== null) return this.#start(act, command, shell);
      if (call.isOver || this.#clock.now() >= giveUpAt) throw this.#notReady();
      const pauseMs = looks < LATER_AFTER_LOOKS ? LOOK_READY_MS : LOOK_READY_LATER_MS;
      await call.until(() => this.#session.hasExited || call.takenBy !== null, pauseMs);
    }
  }

  /** Types the command. */
  #start(act: string, command: string, shell: { name: string; isMarked: boolean }): KnownRun {
    const session = this.#session;
    const { isMarked } = shell;
    const { pastes, line } = this.typing;
    // The same in every process, so that a run can be continued by another.
    const nonce = isMarked ? session.marksNonce : digest(`${session.marksNonce} ${act}`).slice(0, 22);
    const manner = { shell: shell.name, isMarked, pastes, mayHaveDraft: line.mayHaveDraft };
    const text = typedCommand(command, nonce, manner);
    const once = digest(command);
    session.input.promise(instanceOf(act), once);
    const run = this.#runs.add({
      ...{ act, once, nonce, isMarked, from: session.end },
      ...{ typedAt: Date.now(), beganAt: null, durationMs: null, place: TYPED, takenBy: null },
    });
    try {
      // Stores everything first: whatever was typed must be known to the next process.
      this.typing.start({ act, text });
    } catch (error) {
      if (session.input.accepted(instanceOf(act)) === 0) this.#runs.forget(act);
      throw error;
    }
    return run;
  }

  async #outcome(run: KnownRun, call: AssistCall): Promise<RunState> {
    if (!run.hasEnded) await this.#typed(run, call);
    const isSettled = () => run.hasEnded || call.takenBy !== null;
    for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(LOOK_MAX_MS, pauseMs * 2)) {
      await call.until(isSettled, pauseMs);
      if (isSettled() || call.isOver) return runAnswer(run, this.#session, { takenBy: call.takenBy });
      const waiting = await this.#waitingProgram.of(run, call);
      if (waiting !== null) return runAnswer(run, this.#session, { takenBy: call.takenBy, waiting });
    }
  }

  /** Resolves when all of it is typed, or nothing more of it will be. */
  async #typed(run: KnownRun, call: AssistCall): Promise<void> {
    try {
      await this.typing.finished(call, run.facts.act);
    } catch (error) {
      if (!run.hasEnded) throw error;
    }
  }

  /** The shell, if it waits for a command; null if it does so perhaps soon. Throws a Refusal if it does not. */
  #readyShell(waits: { since: number; looks: number }): { name: string; isMarked: boolean } | null {
    const session = this.#session;
    if (session.hasExited) throw exited();
    if (this.typing.texts.isTyping) return null;
    const look = session.look();
    const now = this.#clock.now();
    if (look?.reads !== true || waits.looks === 0) Object.assign(waits, { since: now, looks: 0 });
    waits.looks++;
    const ready = shellReady({
      look,
      isAtPrompt: session.isAtPrompt,
      running: session.running,
      run: this.#runs.open ?? null,
      isLineOpen: this.typing.line.isOpen,
      // A shell in which a command was run has shown its first prompt.
      isYoung: session.ageMs < YOUNG_MS && this.#runs.size === 0,
      quietMs: now - this.#printedAt,
      typedMs: this.typing.typedMs,
      waits: { ms: now - waits.since, looks: waits.looks },
      pastes: this.typing.pastes,
    });
    if (ready === 'later') return null;
    if (ready instanceof Refusal) throw ready;
    return { name: look?.program ?? session.program, isMarked: ready === 'marked' };
  }

  #notReady(): Refusal {
    const look = this.#session.look();
    return look === null || look.isOwn
      ? busy('It shows no prompt.')
      : busy(`In the foreground is ${look.program}.`);
  }

  /** For another agent process. */
  #store(): void {
    this.#session.store({ runs: this.#runs.save(), ...this.typing.texts.save() });
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

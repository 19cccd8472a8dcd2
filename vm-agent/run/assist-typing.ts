/**
 * How assistants type into one session: with the keyboard, each text once, and no longer than a person lets them. Rule
 * AS4.
 */
import type { Clock } from '../../protocol/clock.ts';
import { Refusal } from '../../protocol/errors.ts';
import type { KeyboardHolder } from '../../protocol/messages/keyboard-holder.ts';
import { isReport } from '../keyboard/is-report.ts';
import { type Assistant, Keyboard, takenOver } from '../keyboard/keyboard.ts';
import { PASTE, PASTE_END, PasteMode } from '../keyboard/paste-mode.ts';
import { Typist } from '../keyboard/typist.ts';
import type { SessionInput } from '../terminal/session-input.ts';
import { AssistCall } from './assist-call.ts';
import { OpenLine } from './open-line.ts';

interface TypedSession {
  readonly input: Pick<SessionInput, 'accept' | 'write'>;
  /** Counts the prompts that the shell has marked. */
  readonly prompts: number;
  /** Something is typed. */
  touched(): void;
}

/** A client that types: a person by default. */
interface Typing {
  readonly isScript?: boolean | undefined;
  readonly name?: string | undefined;
  readonly assistant?: string | undefined;
}

/** How long the program has to take what is typed. */
const TYPED_WITHIN_MS = 5_000;

export class AssistTyping {
  readonly #session: TypedSession;
  readonly #clock: Clock;
  readonly #keyboard: Keyboard;
  readonly #pasteMode = new PasteMode();
  readonly #openLine = new OpenLine();
  readonly #calls = new Set<AssistCall>();
  #typist: Typist | undefined;
  #prompts = 0;

  constructor(session: TypedSession, clock: Clock, keyboardChanged: () => void) {
    this.#session = session;
    this.#clock = clock;
    this.#keyboard = new Keyboard(clock, keyboardChanged);
  }

  get holder(): KeyboardHolder | undefined {
    return this.#keyboard.holder;
  }

  /** The holder, for a description of the session. */
  get described(): { readonly keyboard?: KeyboardHolder } {
    return this.holder === undefined ? {} : { keyboard: this.holder };
  }

  /** Whether the program wants pastes to be marked. */
  get pastes(): boolean {
    return this.#pasteMode.isOn;
  }

  /** Whether somebody has begun a line at the prompt. */
  get isLineOpen(): boolean {
    return this.#openLine.isOpen;
  }

  printed(bytes: Uint8Array): void {
    this.#pasteMode.printed(bytes);
    if (this.#session.prompts !== this.#prompts) this.#openLine.prompted();
    this.#prompts = this.#session.prompts;
  }

  /** Throws `keyboard_busy` for a script, unless it belongs to the assistant that has the keyboard. */
  check({ assistant, isScript = false }: Typing): void {
    if (isScript && this.#keyboard.isHeldFrom(assistant))
      throw new Refusal('keyboard_busy', 'An assistant has the keyboard of this session. Try again later.');
  }

  /** A client has typed. */
  typed(keys: Uint8Array, { isScript = false, name = 'Somebody' }: Typing): void {
    if (isReport(keys)) return;
    this.#openLine.typed(keys);
    if (!isScript) this.take(name);
  }

  /** A person takes the keyboard. What was not typed yet is dropped. */
  take(by: string): void {
    const typist = this.#typist;
    this.#typist = undefined;
    if (typist !== undefined && !typist.isDone && isPasting(typist.stop())) typist.add(PASTE_END);
    this.#keyboard.personTyped(by);
  }

  handBack(): void {
    this.#keyboard.handBack();
  }

  /** The connection of an assistant has ended. It may come back for a run that goes on. */
  gone(assistant: string, runsOn: boolean): void {
    this.#keyboard.gone(assistant, runsOn);
    for (const call of this.#calls) if (call.assistant.id === assistant) call.abandon();
  }

  open(assistant: Assistant, waitMs: number): AssistCall {
    const call = new AssistCall(assistant, this.#clock, waitMs);
    this.#calls.add(call);
    return call;
  }

  close(call: AssistCall): void {
    this.#calls.delete(call);
    this.#keyboard.leave(call);
  }

  /** Something has happened that a call may wait for. */
  changed(): void {
    for (const call of this.#calls) call.changed();
  }

  /** Resolves when the call has the keyboard. */
  async granted(call: AssistCall): Promise<void> {
    this.#keyboard.enter(call.assistant, call);
    await call.until(() => call.isGranted || call.takenBy !== null, Number.POSITIVE_INFINITY);
    if (call.takenBy !== null) throw takenOver(call.takenBy);
    if (!call.isGranted)
      throw new Refusal(
        'keyboard_busy',
        `${this.holder?.name ?? 'Another assistant'} has the keyboard of this session. Nothing was typed.`,
      );
  }

  /** The call continues what `former` began, perhaps on another connection. */
  join(call: AssistCall, former: string): void {
    this.#keyboard.join(call.assistant, call, former);
  }

  /** Resolves when the program was given all of the text. Rejects with `taken_over`, or if it does not read. */
  async type(call: AssistCall, act: string, text: string): Promise<void> {
    const typist = new Typist(this.#session.input, instanceOf(act), text, () => this.changed());
    this.#typist = typist;
    this.#session.touched();
    typist.start();
    await call.until(() => typist.isDone || call.takenBy !== null, TYPED_WITHIN_MS);
    if (typist.isDone) return this.#openLine.typed(Buffer.from(text));
    if (call.takenBy !== null) throw takenOver(call.takenBy);
    throw new Refusal('input_backlog', 'The program is not reading input. Not everything was typed.');
  }
}

/** An act is an instance of the ledger, apart from those of clients. */
export const instanceOf = (act: string) => `act:${act}`;

/** Whether a paste was begun and not ended. */
function isPasting(typed: Buffer): boolean {
  return typed.lastIndexOf(PASTE) > typed.lastIndexOf(PASTE_END);
}

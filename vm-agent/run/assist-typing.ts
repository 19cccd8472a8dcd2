/**
 * How assistants type into one session: with the keyboard, one text after the other, each once, and no longer than a
 * person lets them. Rule AS4.
 *
 * A text that has begun is typed to its end, also if nobody waits for that any more: half a line would be left behind
 * otherwise. It ends early if somebody else types, or if the program does not read.
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';
import { Refusal } from '../../protocol/errors.ts';
import { RUNS_KEPT } from '../../protocol/limits.ts';
import type { KeyboardHolder } from '../../protocol/messages/keyboard-holder.ts';
import { isReport } from '../keyboard/is-report.ts';
import { Keyboard, takenOver } from '../keyboard/keyboard.ts';
import { PasteMode } from '../keyboard/paste-mode.ts';
import { TYPED_AT_ONCE_BYTES, Typist } from '../keyboard/typist.ts';
import type { SessionInput } from '../terminal/session-input.ts';
import { AssistCall, type AssistRequest } from './assist-call.ts';
import { OpenLine } from './open-line.ts';

interface TypedSession {
  readonly input: Pick<SessionInput, 'accept' | 'accepted' | 'write'>;
  /** Undefined if the shell makes no marks that are proven. */
  readonly isAtPrompt: boolean | undefined;
  /** Counts the prompts that the shell has marked. */
  readonly prompts: number;
  /** Something is typed. */
  touched(): void;
}

/** A text that is typed. */
export interface TypedText {
  readonly act: string;
  readonly text: string;
}

/** A text that was not typed to its end, and who typed instead. */
export interface DroppedText {
  readonly act: string;
  readonly by: string;
}

/** What another agent process needs. */
export interface SavedTyping {
  readonly typing: TypedText | null;
  readonly dropped: readonly DroppedText[];
}

interface TypingEvents {
  /** The keyboard has another holder. */
  keyboardChanged(): void;
  /** Nothing more of this text is typed. It is to be stored before anything else is typed. */
  dropped(text: DroppedText): void;
  /** What has to be saved is another. */
  saves(): void;
  /** Keys were typed that may end a command without a mark. */
  interrupted(): void;
}

/** How long the program has to take the next part of a text. */
const TAKEN_WITHIN_MS = 5_000;

/** Dropped texts that another process is told of. */
const DROPPED_SAVED = 32;

/** Ctrl-C and Ctrl-\. */
const INTERRUPTS: readonly number[] = [0x03, 0x1c];

/** A client that types: a person by default. */
interface Typing {
  readonly isScript?: boolean | undefined;
  readonly name?: string | undefined;
  readonly assistant?: string | undefined;
}

export class AssistTyping {
  readonly #session: TypedSession;
  readonly #clock: Clock;
  readonly #events: TypingEvents;
  readonly #keyboard: Keyboard;
  readonly #pasteMode = new PasteMode();
  readonly #openLine = new OpenLine();
  readonly #calls = new Set<AssistCall>();
  /** Texts that were dropped, by their act. */
  readonly #dropped = new Map<string, string>();
  /** The last text, until it is typed or dropped. */
  #current: (TypedText & { readonly typist: Typist }) | undefined;
  #late: Cancel = () => {};
  #prompts = 0;
  #typedAt = Number.NEGATIVE_INFINITY;

  constructor(session: TypedSession, clock: Clock, events: TypingEvents) {
    this.#session = session;
    this.#clock = clock;
    this.#events = events;
    this.#keyboard = new Keyboard(clock, () => events.keyboardChanged());
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

  /** What is at the prompt already. */
  get line(): Pick<OpenLine, 'isOpen' | 'mayHaveDraft'> {
    return this.#openLine;
  }

  /** Whether a text is being typed. */
  get isTyping(): boolean {
    return this.#current?.typist.isTyping === true;
  }

  /** For how long nobody has typed, other than the commands of runs. */
  get typedMs(): number {
    return this.#clock.now() - this.#typedAt;
  }

  /** What another process needs. A text of one piece is typed at once or not at all. */
  save(): SavedTyping {
    const { act, text } = this.#current ?? { act: '', text: '' };
    return {
      typing: Buffer.byteLength(text) > TYPED_AT_ONCE_BYTES ? { act, text } : null,
      dropped: [...this.#dropped].slice(-DROPPED_SAVED).map(([of, by]) => ({ act: of, by })),
    };
  }

  /** Another process was typing: what it has begun is typed to its end, before anybody else can type. */
  restore({ typing, dropped }: SavedTyping): void {
    for (const { act, by } of dropped) this.#dropped.set(act, by);
    if (typing === null || this.#session.input.accepted(instanceOf(typing.act)) === 0) return;
    try {
      this.start(typing);
    } catch (error) {
      // The program does not read; a repeated request goes on with it.
      if (!(error instanceof Refusal)) throw error;
    }
  }

  /** `bytes` were printed. Called for every read of the terminal. */
  printed(bytes: Uint8Array): void {
    this.#pasteMode.printed(bytes);
    if (this.#session.prompts === this.#prompts || !this.#isMarked) return;
    this.#prompts = this.#session.prompts;
    this.#openLine.prompted();
  }

  /** Throws `keyboard_busy` for a script, unless it belongs to the assistant that has the keyboard and types nothing. */
  check({ assistant, isScript = false }: Typing): void {
    if (isScript && (this.#keyboard.isHeldFrom(assistant) || this.isTyping))
      throw new Refusal('keyboard_busy', 'An assistant has the keyboard of this session. Try again later.');
  }

  /** A client has typed. */
  typed(keys: Uint8Array, { isScript = false, name = 'Somebody' }: Typing): void {
    if (isReport(keys)) return;
    if (isScript) this.#drop('A script');
    else this.take(name);
    this.#pressed(keys);
  }

  /** A person takes the keyboard. What was not typed yet is dropped. */
  take(by: string): void {
    this.#drop(by);
    this.#keyboard.personTyped(by);
  }

  handBack(): void {
    this.#keyboard.handBack();
  }

  /** A connection has ended. `runsOn`: the assistant that it stands for may come back for a run. */
  gone(connection: string, runsOn: boolean): void {
    this.#keyboard.gone(connection, runsOn);
    for (const call of this.#calls) if (call.connection === connection) call.abandon();
  }

  open(request: Omit<AssistRequest, 'act'>): AssistCall {
    const call = new AssistCall(request, this.#clock);
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
    await call.until(() => call.isGranted || call.takenBy !== null);
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
  async type(call: AssistCall, text: TypedText): Promise<void> {
    await call.until(() => !this.isTyping || this.#current?.act === text.act || call.takenBy !== null);
    if (call.takenBy !== null) throw takenOver(call.takenBy);
    if (this.isTyping && this.#current?.act !== text.act) throw notRead('Nothing was typed.');
    const by = this.#dropped.get(text.act);
    if (by !== undefined) throw takenOver(by);
    this.start(text);
    await this.finished(call, text.act);
    this.#pressed(Buffer.from(text.text));
  }

  /** Begins to type a text, or goes on with it; nothing else is being typed. Throws a Refusal if nothing is taken. */
  start(text: TypedText): void {
    if (this.#current?.act !== text.act) this.#drop('Another assistant');
    const instance = instanceOf(text.act);
    const typist =
      this.#current?.typist ??
      new Typist(this.#session.input, instance, text.text, () => this.#moved(text.act));
    this.#current = { ...text, typist };
    this.#session.touched();
    this.#late();
    this.#late = this.#clock.after(TAKEN_WITHIN_MS, () => this.#isLate());
    this.#events.saves();
    try {
      typist.start();
    } catch (error) {
      if (this.#session.input.accepted(instance) === 0) this.#forget();
      throw error;
    }
  }

  /** Goes on with a text that the program did not read. */
  resume(act: string): void {
    if (this.#current?.act === act) this.start(this.#current);
  }

  /** Resolves when a text that was begun is typed, or the call is over. Rejects if it is not typed to its end. */
  async finished(call: AssistCall, act: string): Promise<void> {
    await call.until(() => this.#current?.act !== act || !this.isTyping);
    const by = this.#dropped.get(act);
    if (by !== undefined) throw takenOver(by);
    if (this.#current?.act === act && !this.isTyping) throw notRead('Not everything was typed.');
  }

  /** A text was typed, or the program takes no more of it. */
  #moved(act: string): void {
    if (this.#current?.act === act && this.#current.typist.isDone) this.#forget();
    this.changed();
  }

  #isLate(): void {
    this.#current?.typist.pause();
    this.changed();
  }

  #forget(): void {
    this.#late();
    this.#current = undefined;
    this.#events.saves();
  }

  /** Whoever types instead is not to find half a paste. */
  #drop(by: string): void {
    const current = this.#current;
    if (current === undefined) return;
    // What the program was offered cannot be taken back.
    if (current.typist.hasOfferedAll) return this.#forget();
    this.#late();
    this.#current = undefined;
    this.#dropped.set(current.act, by);
    for (const act of this.#dropped.keys()) {
      if (this.#dropped.size <= RUNS_KEPT) break;
      this.#dropped.delete(act);
    }
    this.#events.dropped({ act: current.act, by });
    current.typist.stop();
    this.#openLine.left();
    this.changed();
  }

  #pressed(keys: Uint8Array): void {
    this.#typedAt = this.#clock.now();
    this.#openLine.typed(keys, this.#isMarked);
    if (INTERRUPTS.some((key) => keys.includes(key))) this.#events.interrupted();
  }

  get #isMarked(): boolean {
    return this.#session.isAtPrompt !== undefined;
  }
}

/** An act is an instance of the ledger, apart from those of clients. */
export const instanceOf = (act: string) => `act:${act}`;

function notRead(what: string): Refusal {
  return new Refusal('input_backlog', `The program is not reading input. ${what}`);
}

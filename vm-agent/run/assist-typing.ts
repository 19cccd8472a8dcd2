/**
 * How assistants type into one session: with the keyboard, and no longer than a person lets them. Rule AS4.
 */
import type { Clock } from '../../protocol/clock.ts';
import { Refusal } from '../../protocol/errors.ts';
import type { KeyboardHolder } from '../../protocol/messages/keyboard-holder.ts';
import { isReport } from '../keyboard/is-report.ts';
import { AssistantKeyboard, takenOver } from '../keyboard/keyboard.ts';
import { PasteMode } from '../keyboard/paste-mode.ts';
import { TYPED_AT_ONCE_BYTES } from '../keyboard/typist.ts';
import type { SessionInput } from '../terminal/session-input.ts';
import { AssistCall, type AssistRequest } from './assist-call.ts';
import { OpenLine } from './open-line.ts';
import { exited } from './shell-ready.ts';
import { type DroppedText, TextTyping, type TypedText } from './text-typing.ts';

interface TypedSession {
  readonly input: Pick<SessionInput, 'accept' | 'accepted' | 'write'>;
  readonly hasExited: boolean;
  /** Undefined if the shell makes no marks that are proven. */
  readonly isAtPrompt: boolean | undefined;
  /** Counts the prompts that the shell has marked. */
  readonly prompts: number;
  /** Whether another agent process has started it. */
  readonly isAdopted: boolean;
  /** Something is typed. */
  touched(): void;
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

/** Ctrl-C and Ctrl-\. */
const INTERRUPTS: readonly number[] = [0x03, 0x1c];

const LINE_ENDS: readonly number[] = [0x0a, 0x0d];

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
  readonly #keyboard: AssistantKeyboard;
  readonly #pasteMode = new PasteMode();
  readonly #openLine: OpenLine;
  readonly #calls = new Set<AssistCall>();
  /** What is typed. */
  readonly texts: TextTyping;
  #prompts = 0;
  #typedAt = Number.NEGATIVE_INFINITY;

  constructor(session: TypedSession, clock: Clock, events: TypingEvents) {
    this.#session = session;
    this.#clock = clock;
    this.#events = events;
    this.#openLine = new OpenLine(session.isAdopted);
    this.#keyboard = new AssistantKeyboard(clock, () => events.keyboardChanged());
    this.texts = new TextTyping(session.input, clock, { ...events, changed: () => this.changed() });
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

  /** For how long nobody has typed, other than the commands of runs. */
  get typedMs(): number {
    return this.#clock.now() - this.#typedAt;
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
    if (isScript && (this.#keyboard.isHeldFrom(assistant) || this.texts.isTyping))
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
    if (this.#session.hasExited) throw exited();
    this.#keyboard.enter(call.assistant, call);
    await call.until(() => call.isGranted || call.takenBy !== null || this.#session.hasExited);
    if (this.#session.hasExited) throw exited();
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
    const { texts } = this;
    const isMyTurn = () => !texts.isTyping || texts.isOpen(text.act);
    await call.until(() => isMyTurn() || call.takenBy !== null);
    const by = call.takenBy ?? texts.droppedBy(text.act);
    if (by !== null) throw takenOver(by);
    if (!isMyTurn()) throw notRead('Nothing was typed.');
    this.start(text);
    const keys = Buffer.from(text.text);
    // At once: a prompt that follows from the keys may come before it is known that they were read.
    this.#pressed(keys);
    await this.finished(call, text.act);
    // Of a long text, the end is typed later, perhaps at another prompt.
    if (keys.length > TYPED_AT_ONCE_BYTES && !LINE_ENDS.includes(keys.at(-1) ?? 0)) this.#pressed(keys);
  }

  /** Begins to type a text, or goes on with it; nothing else is being typed. Throws a Refusal if nothing is taken. */
  start(text: TypedText): void {
    this.#session.touched();
    this.texts.start(text);
  }

  /** Resolves when a text that was begun is typed, or the call is over. Rejects if it is not typed to its end. */
  async finished(call: AssistCall, act: string): Promise<void> {
    const { texts } = this;
    await call.until(() => !texts.isOpen(act) || !texts.isTyping);
    const by = texts.droppedBy(act);
    if (by !== null) throw takenOver(by);
    if (texts.isOpen(act) && !texts.isTyping) throw notRead('Not everything was typed.');
  }

  /** Whoever types instead is not to find half a paste. */
  #drop(by: string): void {
    if (this.texts.drop(by)) this.#openLine.left();
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

function notRead(what: string): Refusal {
  return new Refusal('input_backlog', `The program is not reading input. ${what}`);
}

/** One session as the user of the library sees it: its state, what it shows, and what can be done with it. */
import type { Refusal } from '../protocol/errors.ts';
import type { Size } from '../protocol/frame.ts';
import type { Attention } from '../protocol/messages/attention.ts';
import type { KeyboardHolder } from '../protocol/messages/keyboard-holder.ts';
import type { SessionProgress } from '../protocol/messages/session-info.ts';
import type { SessionChange } from './client-change.ts';
import type { ClientInput } from './client-input.ts';
import type { ClientOutput } from './client-output.ts';
import type { Delivery } from './outbox/input-deliveries.ts';
import type { Resume } from './resume-record.ts';
import type { SessionState, Unseen } from './session-state.ts';
import type { Describing, SessionWindow } from './session-window.ts';

/** What a client already has of a session before it first attaches, and how it wants to see it. */
export interface AttachOptions {
  /** The session was just created, so an empty screen shows all its output so far. */
  readonly isNew?: boolean;
  /** Whether somebody looks at the session; true by default. See `setVisible`. */
  readonly isVisible?: boolean;
  /**
   * The session was shown up to this offset before, perhaps by another client; `epoch` is the agent's epoch of the
   * offset.
   */
  readonly resume?: { readonly epoch?: string; readonly offset: number };
  /** Whether screens come with the history above them, without it, or get it later, once the screen is shown. */
  readonly history?: 'all' | 'none' | 'later';
  /** Whether to keep `description` up to date, or only why the session wants attention; see `setVisible`. */
  readonly isDescribed?: Describing;
  /** A program types here, not a person: its input is refused while an assistant has the keyboard. [AS4] */
  readonly isScript?: boolean;
  /** With `isScript`: the assistant for which it types, as in `assistant.run`; its own keyboard does not keep it out. */
  readonly holder?: string;
}

/** What runs in a session: the title set by its program, the program's name, and how far its work is. */
export interface SessionDescription {
  readonly title: string | null;
  readonly foreground: string | null;
  readonly progress?: SessionProgress | undefined;
  /** Absent unless an assistant has the keyboard, or waits for it. */
  readonly keyboard?: KeyboardHolder | undefined;
  /** Why the session wants attention; absent while it wants none. */
  readonly attention?: Attention | undefined;
}

/** Without the other fields of a message. */
export function descriptionOf(described: SessionDescription): SessionDescription {
  const { title, foreground, progress, keyboard, attention } = described;
  return { title, foreground, progress, keyboard, attention };
}

/** What the agent has reported about a session. */
export interface SessionReport {
  readonly epoch: string | undefined;
  readonly description: SessionDescription | null;
  readonly isDriver: boolean;
  /** `offset` is the end of the program's output. */
  readonly exit: {
    readonly offset: number;
    readonly exitCode: number | null;
    readonly signal: string | null;
  } | null;
  readonly hadEnded: boolean;
  /** Why the agent refused input of a script; null if it has not. */
  readonly inputRefusal: Refusal | null;
}

/** The parts that do the work. */
interface SessionParts {
  readonly id: string;
  readonly state: SessionState;
  readonly handle: number | undefined;
  readonly report: SessionReport;
  readonly input: ClientInput;
  readonly output: ClientOutput;
  readonly window: SessionWindow;
  onChange(listener: (change: SessionChange) => void): () => void;
  setVisible(isVisible: boolean, isDescribed?: Describing): void;
  redraw(): void;
}

export class AttachedSession {
  readonly id: string;
  readonly #parts: SessionParts;

  constructor(parts: SessionParts) {
    this.id = parts.id;
    this.#parts = parts;
  }

  get state(): SessionState {
    return this.#parts.state;
  }

  /** The session's number in data frames, while attached. */
  get handle(): number | undefined {
    return this.#parts.handle;
  }

  /** The agent's epoch in which offsets are counted; undefined until it is known. */
  get epoch(): string | undefined {
    return this.#parts.report.epoch;
  }

  /** Bytes typed that have not reached the program. */
  get unsentBytes(): number {
    return this.#parts.input.pendingBytes;
  }

  /** Those bytes, oldest first. */
  unsent(): Uint8Array<ArrayBuffer> {
    return this.#parts.input.pending();
  }

  /** Input was sent, and the program has taken none of it for some seconds. */
  get isLate(): boolean {
    return this.#parts.input.isLate;
  }

  /** Bytes typed that were discarded since the session was last live: too old, too many, or meant for another epoch. */
  get discardedBytes(): number {
    return this.#parts.input.discardedBytes;
  }

  /** Why the agent refused to type for a script, because an assistant has the keyboard; null if it has not. [AS4] */
  get inputRefusal(): Refusal | null {
    return this.#parts.report.inputRefusal;
  }

  /** Input discarded since the last call, oldest first: too old, or meant for another epoch. */
  takeUndelivered(): Uint8Array<ArrayBuffer> {
    return this.#parts.input.takeUndelivered();
  }

  /** Whether this client is the driver: the terminal has the size of its window. */
  get isDriver(): boolean {
    return this.#parts.report.isDriver;
  }

  /** Bytes printed while disconnected that could not be replayed, at the last reconnect. */
  get lostBytes(): number {
    return this.#parts.output.lostBytes;
  }

  get isVisible(): boolean {
    return this.#parts.window.isVisible;
  }

  /** What happened since the session was hidden. */
  get unseen(): Unseen {
    return this.#parts.window.unseen;
  }

  /** What runs in the session, as last reported; null before the first attach. */
  get description(): SessionDescription | null {
    return this.#parts.report.description;
  }

  /** How the program ended, as soon as that is known. `state` changes only once all output is shown. */
  get exit(): { readonly exitCode: number | null; readonly signal: string | null } | null {
    return this.#parts.report.exit;
  }

  /** Whether the program had already ended when this client last attached, so nobody here has seen it end. */
  get hadEnded(): boolean {
    return this.#parts.report.hadEnded;
  }

  /** How the last return to this session went; null before the first one. */
  get lastResume(): Resume | null {
    return this.#parts.output.lastResume;
  }

  /** Calls `listener` after every change, with what it is about. Returns a function that removes it. */
  onChange(listener: (change: SessionChange) => void): () => void {
    return this.#parts.onChange(listener);
  }

  /**
   * False when the input is not kept, because too much was typed while disconnected. [IN7] With `settled`, it is a text
   * that was composed before: up to 64 KiB are kept while disconnected, and `settled` is called once with what became of
   * it, if it is kept.
   */
  type(bytes: Uint8Array, settled?: (delivery: Delivery) => void): boolean {
    return this.#parts.input.type(bytes, settled);
  }

  /** The window's new size; the terminal follows while this client is the driver. */
  resize(size: Size): void {
    this.#parts.window.resize(size);
  }

  /**
   * Sets whether somebody looks: the page is visible and this is its open tab. While hidden, the session gets no
   * output, its program waits for nobody, and `unseen` tells that something happened; when visible again, it catches
   * up. [OU13] `isDescribed`: a person sees what runs in it even while it is hidden, for example on a tab, so
   * `description` is kept up to date.
   */
  setVisible(isVisible: boolean, isDescribed?: Describing): void {
    this.#parts.setVisible(isVisible, isDescribed);
  }

  /** Something else was drawn over the screen: requests all of it again, now or with the next attach. */
  redraw(): void {
    this.#parts.redraw();
  }

  /** Makes this client the driver, whoever typed last. */
  takeOver(): void {
    this.#parts.window.takeOver();
  }

  /** Takes the keyboard from the assistant that has it. A person's key does the same. */
  takeKeyboard(): void {
    this.#parts.window.changeKeyboard('take_keyboard');
  }

  /** Lets the assistant type again, from which the keyboard was taken. */
  handBackKeyboard(): void {
    this.#parts.window.changeKeyboard('hand_back_keyboard');
  }
}

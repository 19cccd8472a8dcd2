/**
 * A field for text that is written or dictated before it goes into a terminal, without a DOM.
 *
 *   written ── send ──► sending ── taken ──► in the history
 *      ▲                   │
 *      └── refused, discarded, or not known to be taken
 */
import type { Delivery } from '../../../client/outbox/input-deliveries.ts';
import { COMPOSED_MAX_BYTES } from '../../../protocol/limits.ts';
import { pasteable } from '../terminal/pasteable.ts';
import { byteLength, type DraftMemory, type SentTexts } from './stored-texts.ts';

/** Pastes a text into the active terminal, once; false if that is not possible now. */
type Send = (text: string, withEnter: boolean, settled: (delivery: Delivery) => void) => boolean;

interface ComposerOptions {
  readonly draft: DraftMemory;
  readonly sent: SentTexts;
  readonly send: Send;
}

export interface ComposerView {
  readonly isOpen: boolean;
  readonly text: string;
  readonly isSending: boolean;
  /** What became of the last text; empty when there is nothing to say. */
  readonly note: string;
  readonly canSend: boolean;
}

const NOTES = {
  taken: 'Sent',
  refused: 'Not sent. This terminal cannot take it now.',
  dropped: 'Not sent. The connection was away for too long.',
  unsure: 'Check the terminal before you send this again. Part of it may have arrived.',
  tooLong: 'Too long: at most 64 KB can be sent at once.',
  sending: 'Sending…',
} as const;

export class Composer {
  readonly #options: ComposerOptions;
  readonly #listeners = new Set<() => void>();
  #isOpen: boolean;
  #text: string;
  #sending: string | null = null;
  #note = '';
  #view: ComposerView;

  constructor(options: ComposerOptions) {
    this.#options = options;
    const { isOpen, sending, text } = options.draft.draft;
    this.#isOpen = isOpen;
    this.#text = sending === null ? text : joined(sending, text);
    if (sending !== null) this.#note = NOTES.unsure;
    this.#view = this.#look();
  }

  readonly current = (): ComposerView => this.#view;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Texts that were sent in this browser, newest first. */
  get history(): readonly string[] {
    return this.#options.sent.list;
  }

  clearHistory(): void {
    this.#options.sent.clear();
  }

  /** Nothing of what was written stays in this browser. */
  forget(): void {
    this.clearHistory();
    this.#sending = null;
    this.write('');
  }

  open(): void {
    this.#isOpen = true;
    this.#changed();
  }

  /** The text stays for the next time. */
  close(): void {
    this.#isOpen = false;
    this.#changed();
  }

  write(text: string): void {
    this.#text = text;
    this.#note = byteLength(text) > COMPOSED_MAX_BYTES ? NOTES.tooLong : '';
    this.#changed();
  }

  /** One text at a time: the next waits until it is known what became of this one. */
  send(withEnter: boolean): void {
    const text = pasteable(this.#text);
    if (!this.#view.canSend) return;
    this.#sending = this.#text;
    this.#text = '';
    this.#note = NOTES.sending;
    this.#changed();
    if (!this.#options.send(text, withEnter, (delivery) => this.#settled(delivery))) this.#settled('refused');
  }

  #settled(outcome: Delivery | 'refused'): void {
    if (this.#sending === null) return;
    if (outcome === 'taken') this.#options.sent.add(this.#sending);
    else this.#text = joined(this.#sending, this.#text);
    this.#sending = null;
    this.#note = NOTES[outcome];
    this.#changed();
  }

  #look(): ComposerView {
    const [text, isSending] = [this.#text, this.#sending !== null];
    const fits = byteLength(text) <= COMPOSED_MAX_BYTES;
    const canSend = !isSending && fits && pasteable(text) !== '';
    return { isOpen: this.#isOpen, text, isSending, note: this.#note, canSend };
  }

  #changed(): void {
    this.#view = this.#look();
    this.#options.draft.keep({ text: this.#text, sending: this.#sending, isOpen: this.#isOpen });
    for (const listener of this.#listeners) listener();
  }
}

/** What comes back goes before what was written since. */
function joined(back: string, since: string): string {
  return since === '' ? back : `${back}\n${since}`;
}

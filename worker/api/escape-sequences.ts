/**
 * Tells text from control sequences in a program's output that is cut anywhere: what a person would read, and what
 * is for the terminal. A few states of ECMA-48, and no more: what a sequence means is the terminal's business.
 *
 *   text ──ESC──► escape ──[──► csi ──final byte──► text
 *     ▲             ├────]P^_X──► string ──BEL, ST, CAN, SUB──► text
 *     └─────────────┴── any other final byte
 */

export interface SequenceEvents {
  text(text: string): void;
  /** A whole sequence, from its ESC to its end. */
  sequence(sequence: string): void;
  /** A piece of one that is too long to be kept until its end: the first piece begins with its ESC. */
  piece?(piece: string, isFirst: boolean): void;
}

/** A sequence that is longer is an image or an attack; it is handed on in pieces. */
const KEPT_MAX_CHARS = 4096;

type State = 'text' | 'escape' | 'csi' | 'string' | 'string-escape';

export class SequenceSplitter {
  readonly #events: SequenceEvents;
  #state: State = 'text';
  #sequence = '';
  /** Whether the beginning of this sequence has been handed on. */
  #isCut = false;

  constructor(events: SequenceEvents) {
    this.#events = events;
  }

  /** Whether nothing is waited for: what comes next is text until an ESC. */
  get isText(): boolean {
    return this.#state === 'text';
  }

  /** Whole characters; sequences may go on with the next call. */
  write(output: string): void {
    for (let at = 0; at < output.length; at++) {
      if (this.#state === 'text') {
        const next = output.indexOf('\x1b', at);
        const end = next < 0 ? output.length : next;
        if (end > at) this.#events.text(output.slice(at, end));
        if (next < 0) return;
        this.#state = 'escape';
        this.#begin('\x1b');
        at = next;
        continue;
      }
      const char = output[at] as string;
      this.#sequence += char;
      this.#step(char, output.charCodeAt(at));
      if (this.#sequence.length >= KEPT_MAX_CHARS) this.#handOn();
    }
  }

  #step(char: string, code: number): void {
    // Cancelled, or cut off by another one.
    if (code === 0x18 || code === 0x1a) return this.#end();
    if (code === 0x1b) {
      if (this.#state === 'string') {
        this.#state = 'string-escape';
        return;
      }
      this.#state = 'escape';
      this.#begin(char);
      return;
    }
    switch (this.#state) {
      case 'escape':
        if (char === '[') this.#state = 'csi';
        else if (']P^_X'.includes(char)) this.#state = 'string';
        else if (code >= 0x30) this.#end();
        return;
      case 'csi':
        if (code >= 0x40 && code !== 0x7f) this.#end();
        return;
      case 'string':
        if (code === 0x07) this.#end();
        return;
      case 'string-escape':
        // ESC \ ends it; any other ESC ends it too, and begins something else.
        if (char === '\\') return this.#end();
        this.#state = 'escape';
        this.#begin(`\x1b${char}`);
        return this.#step(char, code);
    }
  }

  #end(): void {
    this.#state = 'text';
    if (this.#isCut) this.#handOn();
    else this.#events.sequence(this.#sequence);
    this.#begin('');
  }

  #handOn(): void {
    this.#events.piece?.(this.#sequence, !this.#isCut);
    this.#sequence = '';
    this.#isCut = true;
  }

  #begin(sequence: string): void {
    this.#sequence = sequence;
    this.#isCut = false;
  }
}

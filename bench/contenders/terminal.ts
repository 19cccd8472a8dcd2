/** A program in a terminal, as measurements use it, wherever it runs. */
import { within } from '../deadline.ts';

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
}

type Listener = (bytes: Uint8Array) => void;

/** The awaited text comes last, or nearly: some programs draw a status line after it. */
const TAIL_BYTES = 4096;

export class Terminal {
  readonly type: (bytes: Uint8Array) => void;
  /** Printed before there was a listener. */
  #early: Uint8Array[] = [];
  #listener: Listener = (bytes) => void this.#early.push(bytes);

  constructor(type: (bytes: Uint8Array) => void) {
    this.type = type;
  }

  /** The program has printed `bytes`. */
  print(bytes: Uint8Array): void {
    this.#listener(bytes);
  }

  /** From now on output goes to `listener`, instead of the previous one. */
  listen(listener: Listener): void {
    this.#listener = listener;
    for (const bytes of this.#early.splice(0)) listener(bytes);
  }

  /** From now on output is ignored. */
  ignore(): void {
    this.listen(() => {});
  }

  /**
   * Resolves when `wanted` is in the last part of the output. Searches only little, so that it costs little in a
   * flood.
   */
  async printed(wanted: string, withinMs?: number, count = (_bytes: number) => {}): Promise<void> {
    let tail = Buffer.alloc(0);
    const found = new Promise<void>((resolve) =>
      this.listen((bytes) => {
        count(bytes.length);
        const last = Buffer.from(bytes.subarray(-TAIL_BYTES));
        tail = last.length < TAIL_BYTES ? Buffer.concat([tail, last]).subarray(-TAIL_BYTES) : last;
        if (tail.includes(wanted, 0, 'latin1')) resolve();
      }),
    );
    await within(`"${wanted}" printed`, found, withinMs);
  }

  /** Resolves when this many more bytes have been printed. */
  async printedBytes(count: number, withinMs?: number): Promise<void> {
    let left = count;
    const done = new Promise<void>((resolve) =>
      this.listen((bytes) => {
        left -= bytes.length;
        if (left <= 0) resolve();
      }),
    );
    await within(`${count} bytes printed`, done, withinMs);
  }
}

/** Runs `script` in a shell. */
export const shell = (script: string): Program => ({ command: '/bin/sh', args: ['-c', script] });

/** The prompt of `interactive` shells. */
export const PROMPT = 'prompt> ';

/** An interactive shell. */
export const interactive = (): Program => ({
  command: '/usr/bin/env',
  args: [`PS1=${PROMPT}`, 'bash', '--norc', '--noprofile', '-i'],
});

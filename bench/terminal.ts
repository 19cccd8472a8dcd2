/** A program in a terminal at the far end of a socket, as a measurement sees it. */
import { within } from './deadline.ts';

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
}

/** Something that runs programs in terminals: our agent, or the least that could do it. */
export interface Contender extends AsyncDisposable {
  readonly name: 'agent' | 'bare';
  /** The process that holds the terminals. */
  readonly pid: number;
  /** Messages its socket has delivered so far. */
  readonly frames: number;
  open(program: Program): Promise<Terminal>;
}

type Listener = (bytes: Uint8Array) => void;

export class Terminal {
  readonly type: (bytes: Uint8Array) => void;
  /** Printed before anybody listened. */
  #early: Uint8Array[] = [];
  #listener: Listener = (bytes) => void this.#early.push(bytes);

  constructor(type: (bytes: Uint8Array) => void) {
    this.type = type;
  }

  /** The program has printed `bytes`. */
  print(bytes: Uint8Array): void {
    this.#listener(bytes);
  }

  /** From now on output goes to `listener`, instead of to the one before. */
  listen(listener: Listener): void {
    this.#listener = listener;
    for (const bytes of this.#early.splice(0)) listener(bytes);
  }

  /** Resolves when the program has printed `wanted`. */
  async printed(wanted: string): Promise<void> {
    let seen = '';
    const found = new Promise<void>((resolve) =>
      this.listen((bytes) => {
        seen += Buffer.from(bytes).toString('latin1');
        if (seen.includes(wanted)) resolve();
      }),
    );
    await within(`"${wanted}" printed`, found);
  }

  /** Resolves when so many more bytes have been printed. */
  async printedBytes(count: number): Promise<void> {
    let left = count;
    const done = new Promise<void>((resolve) =>
      this.listen((bytes) => {
        left -= bytes.length;
        if (left <= 0) resolve();
      }),
    );
    await within(`${count} bytes printed`, done);
  }
}

/** Runs `script` in a shell. */
export const shell = (script: string): Program => ({ command: '/bin/sh', args: ['-c', script] });

/** A program in a terminal at the far end of a socket, as a measurement sees it. */

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
}

export interface Terminal {
  /** Called with every piece of output, in order. One listener at a time; a view valid during the call. */
  onOutput: (bytes: Uint8Array) => void;
  type(bytes: Uint8Array): void;
}

/** Something that runs programs in terminals: our agent, or the least that could do it. */
export interface Contender {
  readonly name: 'agent' | 'bare';
  /** The process that holds the terminals. */
  readonly pid: number;
  /** Messages its socket has delivered so far. */
  readonly frames: number;
  open(program: Program): Promise<Terminal>;
  /** Ends the process and everything it started. */
  stop(): Promise<void>;
}

/** Runs `script` in a shell. */
export const shell = (script: string): Program => ({ command: '/bin/sh', args: ['-c', script] });

/** Resolves when the output contains `wanted`, which is short and comes in one piece. */
export function printed(terminal: Terminal, wanted: string): Promise<void> {
  return new Promise((resolve) => {
    let seen = '';
    terminal.onOutput = (bytes) => {
      seen = (seen + Buffer.from(bytes).toString('latin1')).slice(-4096);
      if (!seen.includes(wanted)) return;
      terminal.onOutput = () => {};
      resolve();
    };
  });
}

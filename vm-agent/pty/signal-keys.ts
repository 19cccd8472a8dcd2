/**
 * Sends the signals of Ctrl-C, Ctrl-\ and Ctrl-Z to programs that do not read their input. The kernel handles such a
 * key when it enters the terminal's buffer. If the buffer is full, the key never gets there and the program cannot be
 * interrupted. The agent then does what the kernel would: it checks in the terminal's settings whether the key means a
 * signal, and sends it.
 */
import { SIGNAL_FRAME_MAX_BYTES } from '../../protocol/limits.ts';

const KEYS: readonly number[] = [0x03, 0x1a, 0x1c];

/** The first of these keys in the input; undefined if there is none or the input is too long to be keystrokes. */
export function signalKeyIn(bytes: Uint8Array): number | undefined {
  return bytes.length > SIGNAL_FRAME_MAX_BYTES ? undefined : bytes.find((byte) => KEYS.includes(byte));
}

export interface KeySignal {
  readonly name: 'SIGINT' | 'SIGQUIT' | 'SIGTSTP';
  /** Whether earlier input is discarded, which is the default. */
  readonly flushes: boolean;
}

const SIGNALS = { intr: 'SIGINT', quit: 'SIGQUIT', susp: 'SIGTSTP' } as const;

/** What the key means according to the output of `stty -a`; null if it is an ordinary character. */
export function signalOf(settings: string, key: number): KeySignal | null {
  const flags = settings.split(/[\s;]+/);
  if (!flags.includes('isig')) return null;
  for (const [setting, name] of Object.entries(SIGNALS)) {
    const shown = new RegExp(`(?:^|[\\s;])${setting} = \\^(.)`).exec(settings)?.[1];
    if (shown !== undefined && codeOf(shown) === key) return { name, flushes: !flags.includes('noflsh') };
  }
  return null;
}

/** Maps `^C` to 3. */
function codeOf(shown: string): number {
  return shown === '?' ? 0x7f : shown.charCodeAt(0) & 0x1f;
}

interface StuckKeyOptions {
  /** The terminal's settings, as `stty -a` prints them. */
  readonly settings: () => Promise<string>;
  readonly send: (signal: KeySignal) => void;
}

/**
 * Looks up what stuck keys mean, one after the other: each lookup starts a process, and somebody may hold the key down.
 * Of the keys that come meanwhile, the last one counts.
 */
export class StuckKeys {
  readonly #options: StuckKeyOptions;
  #waiting: number | undefined;
  #isAsking = false;

  constructor(options: StuckKeyOptions) {
    this.#options = options;
  }

  pressed(key: number): void {
    this.#waiting = key;
    if (!this.#isAsking) void this.#ask();
  }

  async #ask(): Promise<void> {
    this.#isAsking = true;
    for (let key = this.#take(); key !== undefined; key = this.#take()) {
      const signal = signalOf(await this.#options.settings(), key);
      if (signal !== null) this.#options.send(signal);
    }
    this.#isAsking = false;
  }

  #take(): number | undefined {
    const key = this.#waiting;
    this.#waiting = undefined;
    return key;
  }
}

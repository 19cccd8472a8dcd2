/**
 * Keys that stand for signals (Ctrl-C, Ctrl-\, Ctrl-Z), for a terminal whose program does not read. The kernel looks at
 * a key when it has room for it; behind a full buffer it never does, and the program cannot be interrupted. Then the
 * agent does what the kernel would: asks the terminal's settings whether the key means a signal, and sends it.
 */
import { spawn } from 'node:child_process';
import { SIGNAL_FRAME_MAX_BYTES } from '../../protocol/limits.ts';

/** `stty` asks the kernel one question. */
const ANSWER_WITHIN_MS = 2_000;

const KEYS: readonly number[] = [0x03, 0x1a, 0x1c];

/** The first of these keys among what was typed; undefined when there is none, or more was typed than keys are. */
export function signalKeyIn(bytes: Uint8Array): number | undefined {
  return bytes.length > SIGNAL_FRAME_MAX_BYTES ? undefined : bytes.find((byte) => KEYS.includes(byte));
}

interface KeySignal {
  readonly name: 'SIGINT' | 'SIGQUIT' | 'SIGTSTP';
  /** Whether what was typed before is thrown away, as it is unless the program asked otherwise. */
  readonly flushes: boolean;
}

const SIGNALS = { intr: 'SIGINT', quit: 'SIGQUIT', susp: 'SIGTSTP' } as const;

/** What the key means, by what `stty -a` prints; null when it is a character like any other. */
export function signalOf(settings: string, key: number): KeySignal | null {
  const flags = settings.split(/[\s;]+/);
  if (!flags.includes('isig')) return null;
  for (const [setting, name] of Object.entries(SIGNALS)) {
    const shown = new RegExp(`(?:^|[\\s;])${setting} = \\^(.)`).exec(settings)?.[1];
    if (shown !== undefined && codeOf(shown) === key) return { name, flushes: !flags.includes('noflsh') };
  }
  return null;
}

/** Of `^C`: 3. */
function codeOf(shown: string): number {
  return shown === '?' ? 0x7f : shown.charCodeAt(0) & 0x1f;
}

/** The settings of the terminal that `fd` is a side of; empty when nobody can tell. */
export function terminalSettings(fd: number): Promise<string> {
  return new Promise((resolve) => {
    const stty = spawn('stty', ['-a'], { stdio: [fd, 'pipe', 'ignore'], timeout: ANSWER_WITHIN_MS });
    let text = '';
    stty.stdout?.on('data', (piece) => {
      text += piece;
    });
    stty.on('error', () => resolve(''));
    stty.on('close', () => resolve(text));
  });
}

/** The settings of a terminal. Only `stty` can read them for us. */
import { spawn } from 'node:child_process';

/** `stty` only makes one system call. */
const ANSWER_WITHIN_MS = 2_000;

/** The settings of the terminal that `fd` belongs to; empty if they cannot be read. */
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

/** How a command ended, as its mark shows it and as it is said. */
import type { CommandRow } from '../../../../protocol/terminal/marks/command-rows.ts';

export type CommandStatus = 'running' | 'succeeded' | 'failed' | 'unknown';

/** Only the last command of a terminal can be running: one whose end is not known was interrupted with its shell. */
export function statusOf({ endRow, exitCode }: CommandRow, isLast: boolean): CommandStatus {
  if (endRow === null) return isLast ? 'running' : 'unknown';
  if (exitCode === null) return 'unknown';
  return exitCode === 0 ? 'succeeded' : 'failed';
}

export function statusText(status: CommandStatus, exitCode: number | null): string {
  switch (status) {
    case 'running':
      return 'running';
    case 'succeeded':
      return 'succeeded';
    case 'failed':
      return `exit code ${exitCode}`;
    case 'unknown':
      return 'exit code unknown';
  }
}

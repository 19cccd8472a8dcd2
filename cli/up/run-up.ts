/** `holdfast up` without the other commands, which would stay in its memory. */
import { executeCommand } from '../command-line/execute-command.ts';
import { upCommand } from './up-command.ts';

export function runUp(args: readonly string[]): Promise<number> {
  return executeCommand(upCommand, args);
}

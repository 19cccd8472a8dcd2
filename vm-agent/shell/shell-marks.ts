/**
 * Starts shells so that they print marks around each command. The scripts that make them do so are in `scripts/`, here
 * and beside the built agent. If anything is in the way, the shell starts as it was asked for.
 */
import { readFileSync } from 'node:fs';
import type { SpawnSpec } from '../pty/pty.ts';
import {
  type MarkedShell,
  markedShellOf,
  markedStart,
  obstacleOf,
  SCRIPT_NAMES,
  type SessionMarks,
} from './marked-start.ts';
import type { ScriptFolder } from './script-folder.ts';

/** Changes how a program is started, if it is a shell. The original is what is stored and started again. */
export type MarkShell = (spec: SpawnSpec, marks: SessionMarks) => SpawnSpec;

const SCRIPTS = new URL('./scripts/', import.meta.url);

interface ShellMarksOptions {
  readonly folder: Pick<ScriptFolder, 'provide'>;
  /** A shell starts without marks. */
  readonly without: (shell: MarkedShell, why: string) => void;
  readonly scripts?: URL;
}

export function shellMarks({ folder, without, scripts = SCRIPTS }: ShellMarksOptions): MarkShell {
  return (spec, marks) => {
    const shell = markedShellOf(spec);
    if (shell === null) return spec;
    try {
      const why = obstacleOf(shell);
      if (why !== null) throw new Error(why);
      const script = readFileSync(new URL(`marks.${shell}`, scripts));
      return markedStart(spec, shell, folder.provide(SCRIPT_NAMES[shell], script), marks);
    } catch (error) {
      without(shell, (error as Error).message);
      return spec;
    }
  };
}

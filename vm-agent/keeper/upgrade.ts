/**
 * Replaces this process by a new keeper in place (`process.execve`): the pid stays, so programs remain its children,
 * and their terminals stay open.
 *
 * An exec keeps every descriptor that is not marked close-on-exec. Node marks all that it opens, and node-pty does not
 * mark terminals. It also keeps standard input, which Node unmarks: the state goes to the new keeper as that.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { inheritanceTrouble } from '../pty/adopt-pty.ts';
import { procReader } from '../pty/adopted-exits.ts';
import type { Keeper } from './keeper.ts';
import { openNameless, readWhole, writeWhole } from './private-file.ts';
import type { SavedKeeper } from './saved-state.ts';
import { encodeState, StateReader } from './state-file.ts';
import { readTakeOver, takeOverOption } from './take-over.ts';

/** A keeper loads in a fraction of a second, and on a busy machine in many times that. */
const CHECK_WITHIN_MS = 20_000;

/** Of what a keeper says that cannot take over. */
const REASON_MAX_CHARS = 500;

/** How `holdfast agent reload` and people find it in the list of processes. */
const PROCESS_NAME = 'holdfast keeper';

const STDIN = 0;

/** Node 20 has no such function, and the types say that every Node has. */
const execve: typeof process.execve | undefined = process.execve;

/** Why no keeper of this machine can be replaced in place, in a sentence; null if one can. */
export function upgradeTrouble(
  platform: string = process.platform,
  canExec = execve !== undefined,
): string | null {
  if (platform !== 'linux')
    return 'A keeper is upgraded in place on Linux only; restart it, which ends its shells.';
  if (canExec) return null;
  return `Node ${process.version} cannot replace a process in place (22.15 and 24 can); restart the keeper, which ends its shells.`;
}

/** What the new keeper of `check` says if it could take over. */
export function canTakeOver(programs: number): object {
  return { canTakeOver: programs };
}

/** The state that the keeper before this one has left as standard input. Throws a StateError. */
export function readState(): SavedKeeper {
  const reader = new StateReader();
  for (const piece of readWhole(STDIN)) reader.read(piece);
  closeStdin();
  return reader.finish();
}

/** Nothing else may become the standard input. */
function closeStdin(): void {
  try {
    closeSync(STDIN);
  } catch {
    // It was closed already.
  }
  // Takes the lowest free number, which is that.
  openSync('/dev/null', 'r');
}

/** The arguments that start the same program again. */
function again(takeOver: 'check' | number): string[] {
  const [, file = '', ...args] = process.argv;
  return [...process.execArgv, file, ...readTakeOver(args).others, takeOverOption(takeOver)];
}

export class Upgrade {
  readonly #keeper: Keeper;
  readonly #takeOvers: number;

  /** `takeOvers`: how often the keeper of this process was replaced. */
  constructor(keeper: Keeper, takeOvers: number) {
    this.#keeper = keeper;
    this.#takeOvers = takeOvers;
  }

  /** Starts the new keeper beside this one, and has it read the state. Resolves with why it cannot take over, or null. */
  async check(): Promise<string | null> {
    const trouble = upgradeTrouble();
    if (trouble !== null) return trouble;
    const fd = openNameless();
    try {
      const state = this.#keeper.save();
      for (const { pty } of state.programs) {
        const trouble = inheritanceTrouble({ ...pty, waiting: [] });
        if (trouble !== null) return trouble;
      }
      writeWhole(fd, encodeState(state));
      return await checkWith(fd, JSON.stringify(canTakeOver(state.programs.length)));
    } catch (error) {
      return (error as Error).message;
    } finally {
      closeSync(fd);
    }
  }

  /**
   * Does not return if it succeeds, and else with the reason. `later`: a program has ended, and how it ended will be
   * told in a moment.
   */
  run(): string {
    try {
      const state = this.#keeper.save();
      if (hasUntoldEnd(state)) return 'later';
      closeSync(STDIN);
      const fd = openNameless();
      if (fd !== STDIN) throw new Error(`the state has descriptor ${fd}`);
      writeWhole(fd, encodeState(state));
      // A program that ends from here on until the exec ends in the new keeper with an unknown status.
      if (hasUntoldEnd(state)) {
        closeStdin();
        return 'later';
      }
      execve?.(process.execPath, [PROCESS_NAME, ...again(this.#takeOvers + 1)], process.env);
      throw new Error('Node did not replace the process');
    } catch (error) {
      closeStdin();
      return (error as Error).message;
    }
  }
}

/** Whether a program was collected, and its status not told yet. Only this process will be told. */
function hasUntoldEnd({ programs }: SavedKeeper): boolean {
  return programs.some(
    ({ pty }) => pty.terminal !== null && pty.ended === null && procReader.stat(pty.pid) === undefined,
  );
}

function checkWith(fd: number, expected: string): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, again('check'), {
      stdio: [fd, 'pipe', 'pipe'],
      timeout: CHECK_WITHIN_MS,
      killSignal: 'SIGKILL',
    });
    let said = '';
    let reason = '';
    child.stdout?.on('data', (piece) => {
      said = `${said}${piece}`.slice(0, REASON_MAX_CHARS);
    });
    child.stderr?.on('data', (piece) => {
      reason = `${reason}${piece}`.slice(-REASON_MAX_CHARS);
    });
    child.on('error', (error) => resolve(`the new keeper does not start (${error.message})`));
    child.on('close', (code, signal) => {
      const isFine = code === 0 && said.trim() === expected;
      resolve(
        isFine
          ? null
          : `the new keeper cannot take over (${reason.trim() || (signal ?? `exit code ${code}`)})`,
      );
    });
  });
}

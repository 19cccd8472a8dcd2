/** Runs `systemctl` and its like: the only place where the services of this machine are touched. */
import { execFile } from 'node:child_process';
import { StartError } from '../../node/start-error.ts';

/** Stopping a service takes as long as its shells need to end. */
const END_WITHIN_MS = 60_000;
const OUTPUT_MAX_BYTES = 64 * 1024;

export interface ProgramOutcome {
  /** Null if the program does not exist. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export type RunProgram = (program: string, args: readonly string[]) => Promise<ProgramOutcome>;

export const runProgram: RunProgram = (program, args) =>
  new Promise((resolve) => {
    const limits = { timeout: END_WITHIN_MS, maxBuffer: OUTPUT_MAX_BYTES };
    execFile(program, args, limits, (error, out, err) => {
      const { code } = (error ?? { code: 0 }) as { code?: unknown };
      if (code === 'ENOENT') return resolve({ code: null, out, err });
      resolve({ code: typeof code === 'number' ? code : 1, out, err: err || (error?.message ?? '') });
    });
  });

/** Its output. Throws a StartError with its last line if it failed. */
export async function runOrExplain(
  run: RunProgram,
  program: string,
  args: readonly string[],
): Promise<string> {
  const { code, out, err } = await run(program, args);
  if (code === 0) return out;
  if (code === null)
    throw new StartError(`${program} was not found; without it, run the command without --service.`);
  const last = `${out}\n${err}`.trim().split('\n').at(-1)?.trim() || `exit code ${code}`;
  throw new StartError(`\`${[program, ...args].join(' ')}\` failed: ${last.replace(/\.$/, '')}.`);
}

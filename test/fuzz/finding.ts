/** A finding of the fuzzer: enough to reproduce it and to keep it in the corpus. */

export interface Finding {
  /** The decoder, or the terminal. */
  readonly target: string;
  readonly why: string;
  /** What it was given, in base64. */
  readonly input: string;
}

export function finding(target: string, why: string, input: Uint8Array): Finding {
  return { target, why, input: Buffer.from(input).toString('base64') };
}

/** No parsing or display may take longer, or everybody else waits. */
export const HANG_MS = 100;

/**
 * How long `run` takes without disturbance: the machine has other work, and garbage is collected now and then. The
 * minimum of a few attempts, in CPU time; one is enough if it is fast.
 */
export async function undisturbedMs(run: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 4 && least > HANG_MS; tries++) {
    const before = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/** Every wait of a benchmark has a time limit, so that a benchmark never hangs. */

const WAIT_MAX_MS = 120_000;

/** Rejects if `promise` takes longer than any measurement. */
export async function within<T>(what: string, promise: Promise<T>, ms = WAIT_MAX_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: not within ${ms / 1000} s`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Polls until it is true. */
export async function until(
  what: string,
  everyMs: number,
  isSo: () => Promise<boolean>,
  ms = WAIT_MAX_MS,
): Promise<void> {
  const giveUpAt = performance.now() + ms;
  while (!(await isSo())) {
    if (performance.now() > giveUpAt) throw new Error(`${what}: not within ${ms / 1000} s`);
    await new Promise<void>((resolve) => void setTimeout(resolve, everyMs));
  }
}

/** Waits for a condition, with a timeout. */
import { systemClock } from '../../node/system-clock.ts';
import { UsageError } from '../command-line/usage-error.ts';

/** One day, longer than anybody waits at a prompt. */
const MAX_S = 86_400;

export function readSeconds(text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const seconds = /^\d{1,5}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
  if (!(seconds > 0 && seconds <= MAX_S))
    throw new UsageError(`--timeout needs seconds, up to ${MAX_S}, not ${JSON.stringify(text)}`);
  return seconds;
}

/** Resolves with what `look` returns, now or after a change; with undefined on timeout. */
export function until<T>(
  withinSeconds: number,
  onChange: (listener: () => void) => () => void,
  look: () => T | undefined,
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      cancel();
      stop();
      act();
    };
    const check = () => {
      try {
        const found = look();
        if (found !== undefined) settle(() => resolve(found));
      } catch (error) {
        settle(() => reject(error));
      }
    };
    const cancel = systemClock.after(withinSeconds * 1000, () => settle(() => resolve(undefined)));
    const stop = onChange(check);
    check();
  });
}

/** Resolves with the outcome; with undefined on timeout. */
export async function inTime<T>(withinSeconds: number, outcome: Promise<T>): Promise<T | undefined> {
  let cancel = () => {};
  const late = new Promise<undefined>((resolve) => {
    cancel = systemClock.after(withinSeconds * 1000, () => resolve(undefined));
  });
  return Promise.race([outcome, late]).finally(cancel);
}

/** Reads the list again when it has changed: at once, but not more often than a person can follow. */
import type { Cancel, Clock } from '../../../protocol/clock.ts';

/** After a deploy, hundreds of machines come back within seconds. */
export const REFRESH_EVERY_MS = 1_000;

/** The first call runs at once; those within the next second, or while that runs, run once afterwards. */
export function paced(
  run: () => Promise<void>,
  clock: Clock,
): { readonly ask: () => void; readonly stop: Cancel } {
  let isResting = false;
  let isWanted = false;
  let cancel: Cancel = () => {};
  const ask = () => {
    if (isResting) {
      isWanted = true;
      return;
    }
    isResting = true;
    void run().then(() => {
      cancel = clock.after(REFRESH_EVERY_MS, () => {
        isResting = false;
        if (isWanted) {
          isWanted = false;
          ask();
        }
      });
    });
  };
  return {
    ask,
    stop: () => {
      isResting = true;
      cancel();
    },
  };
}

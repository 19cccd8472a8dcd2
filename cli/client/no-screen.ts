/** For who attaches without looking: nothing is shown. */
import type { Screen } from '../../client/screen.ts';

export const NO_SCREEN: Screen = {
  write: (_bytes, shown) => shown(),
  reset: () => {},
  resize: () => {},
};

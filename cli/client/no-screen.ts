/** A screen that shows nothing, for clients that attach without watching. */
import type { Screen } from '../../client/screen.ts';

export const NO_SCREEN: Screen = {
  write: (_bytes, shown) => shown(),
  reset: () => {},
  resize: () => {},
};

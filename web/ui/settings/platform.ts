/** Detects the platform where keyboards differ. */
import type { Settings } from './settings.ts';

/** Also true for an iPad with a keyboard, where Option composes characters as well. */
export function isMac(): boolean {
  return navigator.platform.startsWith('Mac');
}

/** Whether Option types characters, such as `@` and `|` on a German keyboard. */
export function optionComposes({ optionIsMeta }: Settings): boolean {
  return isMac() && !optionIsMeta;
}

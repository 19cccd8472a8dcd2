/** The progress that a program reports, in words, and as a length. */
import type { SessionProgress } from '../../../protocol/messages/session-info.ts';

/** For the description of a tab. */
export function progressText({ state, percent }: SessionProgress): string {
  switch (state) {
    case 'running':
      return `${percent ?? 0} % done`;
    case 'error':
      return percent === undefined ? 'failed' : `failed at ${percent} %`;
    case 'indeterminate':
      return 'in progress';
    case 'paused':
      return percent === undefined ? 'paused' : `paused at ${percent} %`;
  }
}

/** For the beginning of the window's title, where there is little room. */
export function shortProgressText(progress: SessionProgress): string {
  if (progress.state === 'running') return `${progress.percent ?? 0} %`;
  return progress.state === 'indeterminate' ? '…' : progressText(progress);
}

/** How much of the bar is filled, 0 to 100: all of it if the program does not say how far it is. */
export function filledPercent({ percent }: SessionProgress): number {
  return percent ?? 100;
}

/** How the page tells and draws the progress of a program. */
import { describe, expect, it } from 'vitest';
import type { SessionProgress } from '../../../../protocol/messages/session-info.ts';
import { filledPercent, progressText, shortProgressText } from '../../../../web/ui/view/progress.ts';
import { progressIcon } from '../../../../web/ui/view/progress-icon.ts';

const TOLD: readonly [SessionProgress, text: string, short: string, filled: number][] = [
  [{ state: 'running', percent: 42 }, '42 % done', '42 %', 42],
  [{ state: 'running', percent: 0 }, '0 % done', '0 %', 0],
  [{ state: 'error' }, 'failed', 'failed', 100],
  [{ state: 'error', percent: 7 }, 'failed at 7 %', 'failed at 7 %', 7],
  [{ state: 'indeterminate' }, 'in progress', '…', 100],
  [{ state: 'paused' }, 'paused', 'paused', 100],
  [{ state: 'paused', percent: 50 }, 'paused at 50 %', 'paused at 50 %', 50],
];

describe('[T4] progress', () => {
  it.each(TOLD)('%j is told as %j, or shorter %j', (progress, text, short, filled) => {
    expect([progressText(progress), shortProgressText(progress), filledPercent(progress)]).toEqual([
      text,
      short,
      filled,
    ]);
  });

  it('is an image for the icon that differs by state and percentage', () => {
    const icons = TOLD.map(([progress]) => progressIcon(progress));
    expect(new Set(icons).size).toBe(icons.length);
    for (const icon of icons)
      expect(decodeURIComponent(icon)).toMatch(/^data:image\/svg\+xml,<svg .*<\/svg>$/);
  });

  it('fills the ring of the icon in proportion', () => {
    const arc = (percent: number) =>
      Number(
        /dasharray="([\d.]+) /.exec(decodeURIComponent(progressIcon({ state: 'running', percent })))?.[1],
      );
    expect(arc(50) / arc(100)).toBeCloseTo(0.5, 2);
    expect(arc(0)).toBeGreaterThan(0);
  });
});

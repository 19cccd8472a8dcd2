/** The progress of every tab, for screen readers: tabs cannot contain elements with a role of their own. */
import { progressText } from '../view/progress.ts';
import type { TabView } from '../view/tab-view.ts';

export function TabProgress({ tabs }: { readonly tabs: readonly TabView[] }) {
  return tabs.map(
    ({ key, name, progress }) =>
      progress !== null && (
        <div
          key={key}
          className="visually-hidden"
          role="progressbar"
          aria-label={name}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={progress.percent}
          aria-valuetext={progressText(progress)}
        />
      ),
  );
}

/** What each mark on a tab means, in words. */
import type { TabView } from './tab-view.ts';

export const TAB_MARKS: Readonly<Record<NonNullable<TabView['marker']>, string>> = {
  activity: 'has new output',
  bell: 'rings',
  exited: 'has ended',
  waiting: 'is reconnecting',
};

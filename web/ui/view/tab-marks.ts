/** What each mark on a tab means, in words. */
import { WANTS } from '../text/attention-text.ts';
import type { TabView } from './tab-view.ts';

export const TAB_MARKS: Readonly<Record<NonNullable<TabView['marker']>, string>> = {
  ...WANTS,
  activity: 'has new output',
  bell: 'rings',
  exited: 'has ended',
  waiting: 'is reconnecting',
};

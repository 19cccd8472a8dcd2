/** Keeps which terminals share a tab when a page saves its tabs that knows nothing of that. [RL34] */
import { CLIENT_CONTROL_MAX_BYTES } from '../../protocol/limits.ts';
import type { Layout } from '../../protocol/messages/message-parts.ts';

/**
 * `layout` as it is saved after `before`. Splits whose sessions have no tab any more stay too; whoever reads them leaves
 * those out.
 */
export function withSplits(layout: Layout, before: Layout | null): Layout {
  if (layout.splits !== undefined || before?.splits === undefined) return layout;
  const merged = { ...layout, splits: before.splits };
  const { length } = new TextEncoder().encode(JSON.stringify(merged));
  // No larger than what a client can save by itself.
  return length <= CLIENT_CONTROL_MAX_BYTES ? merged : layout;
}

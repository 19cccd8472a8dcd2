/**
 * Chooses where a workspace's object is placed. It stays where it is first reached, so the first caller decides: an
 * agent by its own setting, others by the region in their token, otherwise the relay's setting. Rule RL13.
 */
import { isRegion } from '../../protocol/token.ts';

/**
 * The first of `candidates` that is a region. An unknown name is skipped, because it is no reason to refuse anybody.
 */
export function placement(
  ...candidates: readonly (string | null | undefined)[]
): DurableObjectNamespaceGetDurableObjectOptions {
  const [region] = candidates.map((text) => text?.toLowerCase() ?? '').filter(isRegion);
  return region === undefined ? {} : { locationHint: region };
}

/**
 * Chooses where a workspace's object is placed. It stays where it is first reached, so the first caller decides: an
 * agent by its own setting, others by the region in their token, otherwise the relay's setting. Rule RL13.
 */

/** The platform's region names, checked by the compiler. */
const REGIONS: readonly DurableObjectLocationHint[] = [
  'wnam',
  'enam',
  'sam',
  'weur',
  'eeur',
  'apac',
  'oc',
  'afr',
  'me',
];

/**
 * The first of `candidates` that is a region. An unknown name is skipped, because it is no reason to refuse anybody.
 */
export function placement(
  ...candidates: readonly (string | null | undefined)[]
): DurableObjectNamespaceGetDurableObjectOptions {
  const named = candidates.flatMap((text) => REGIONS.filter((region) => region === text?.toLowerCase()));
  return named[0] === undefined ? {} : { locationHint: named[0] };
}

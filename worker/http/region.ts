/**
 * Where a workspace's object is put. It stays where it is first reached, so whoever comes first says where the
 * machine is: the agent by its setting, others by the region in their token, or else the relay's own setting.
 * Rule RL13.
 */

/** The platform's names; the compiler knows whether it would take them. */
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

/** The first of `candidates` that is a region. Another name is no reason to lock anybody out: it is passed over. */
export function placement(
  ...candidates: readonly (string | null | undefined)[]
): DurableObjectNamespaceGetDurableObjectOptions {
  const named = candidates.flatMap((text) => REGIONS.filter((region) => region === text?.toLowerCase()));
  return named[0] === undefined ? {} : { locationHint: named[0] };
}

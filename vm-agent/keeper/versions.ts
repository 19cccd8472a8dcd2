/**
 * Whether a keeper and an agent of different builds work together. Each understands its own version of the wire and the
 * one before. Within a version, a peer may lack what was added later; capabilities say what it has. Pure.
 */

/** Counts changes that an older peer cannot understand. Everything else is a capability. */
export const KEEPER_VERSION = 1;

/** What this keeper can do beyond the first build of the wire. `upgrade`: it can be replaced in place. */
export type KeeperCapability = 'upgrade';

/** The environment variable by which a keeper tells the agent its version. Keepers of the first build tell none. */
export const KEEPER_VERSION_VARIABLE = 'HOLDFAST_KEEPER_VERSION';

/** … and by which `holdfast agent reload` sees what the keeper of an agent can do, separated by commas. */
export const KEEPER_CAPABILITIES_VARIABLE = 'HOLDFAST_KEEPER_CAN';

const FIRST_VERSION = 1;

const CAPABILITIES_MAX = 32;
const CAPABILITY_MAX_CHARS = 64;

/** Why `peer` of this version cannot be worked with, in a sentence; null if it can. `undefined`: the first build. */
export function versionTrouble(
  peer: 'agent' | 'keeper',
  version: unknown = FIRST_VERSION,
  own = KEEPER_VERSION,
): string | null {
  const oldest = Math.max(FIRST_VERSION, own - 1);
  if (version === own || version === oldest) return null;
  const [who, other] = peer === 'agent' ? ['keeper', 'agent'] : ['agent', 'keeper'];
  const told = typeof version === 'number' ? version : 'unknown';
  const range = oldest === own ? `version ${own}` : `versions ${oldest} and ${own}`;
  const isNewer = typeof version === 'number' && version > own;
  const cure =
    isNewer === (peer === 'agent')
      ? 'upgrade the keeper (holdfast agent reload --keeper), or restart it, which ends its shells'
      : 'use a newer agent';
  return `The ${other} speaks version ${told} with its ${who}, which speaks ${range}: ${cure}.`;
}

/** What a peer says that it can do. One of the first build says nothing. */
export function readCapabilities(told: unknown): readonly string[] {
  if (!Array.isArray(told)) return [];
  return told
    .filter((name): name is string => typeof name === 'string' && name.length <= CAPABILITY_MAX_CHARS)
    .slice(0, CAPABILITIES_MAX);
}

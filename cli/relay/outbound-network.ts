/**
 * Where a self-hosted relay may connect to: push services at public addresses, so that nothing in the relay's own
 * network can be reached through it, whatever a name resolves to. A service at another address must be named by that
 * address in RELAY_PUSH_HOSTS, and only that address is opened. Pure.
 */
import { isIP } from 'node:net';

/** workerd's list of what may be connected to. */
export function reachableAddresses(pushHosts = ''): string[] {
  const listed = pushHosts.split(/[\s,]+/).map(addressOf);
  return ['public', ...new Set(listed.filter((range) => range !== null))];
}

/** The range of one address; null for a name. */
function addressOf(entry: string): string | null {
  const [, inBrackets, plain = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d+)?$/.exec(entry) ?? [];
  const address = inBrackets ?? plain;
  const version = isIP(address);
  return version === 0 ? null : `${address}/${version === 4 ? 32 : 128}`;
}

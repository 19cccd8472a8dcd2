/**
 * Which addresses the relay may be made to fetch. A browser sends the address of its push service, and the relay posts
 * to it later, so an address is accepted only if it is at a push service of a browser, or at one that the relay's owner
 * has named. Pure.
 */
import { PUSH_ENDPOINT_MAX_CHARS } from '../../protocol/limits.ts';

/** The services of Chrome and its relatives, Firefox, Safari, and Edge. `*.` stands for any names in front. */
const SHIPPED = [
  'fcm.googleapis.com',
  '*.push.services.mozilla.com',
  '*.push.apple.com',
  '*.notify.windows.com',
] as const;

/** A host as it stands in an address. A port only if it is not that of https. */
export interface PushHost {
  readonly name: string;
  readonly port: string;
  /** Whether names in front of it belong to it: it begins with a dot then. */
  readonly isSuffix: boolean;
}

/** RELAY_PUSH_HOSTS: hosts separated by commas or spaces, in addition to the shipped ones. Others are ignored. */
export function readPushHosts(setting: string | undefined): readonly PushHost[] {
  const listed = (setting ?? '').split(/[\s,]+/).filter((text) => text !== '');
  return [...SHIPPED, ...listed].flatMap((text) => readHost(text) ?? []);
}

/** Null when `text` is no host: it has a scheme, a path or a credential, or nothing is left of it without its star. */
function readHost(text: string): PushHost | null {
  const isSuffix = text.startsWith('*.');
  const host = isSuffix ? text.slice(2) : text;
  const url = URL.parse(`https://${host}/`);
  if (url === null || url.host !== host.toLowerCase().replace(/:443$/, '')) return null;
  // A star in front of an address or of a top-level name would stand for hosts of anybody.
  if (isSuffix && (isAddress(url.hostname) || !url.hostname.includes('.'))) return null;
  return { name: isSuffix ? `.${url.hostname}` : url.hostname, port: url.port, isSuffix };
}

/** Whether the name is an IP address. The parser of addresses has written it in its usual form. */
export const isAddress = (hostname: string): boolean => /^(?:\d+\.){3}\d+$|^\[/.test(hostname);

/** Null when the relay may not fetch this. */
export function allowedEndpoint(text: string, hosts: readonly PushHost[]): URL | null {
  const url = text.length > PUSH_ENDPOINT_MAX_CHARS ? null : URL.parse(text);
  if (url === null || url.protocol !== 'https:') return null;
  if (url.username !== '' || url.password !== '' || url.hash !== '') return null;
  const isAllowed = hosts.some(
    ({ name, port, isSuffix }) =>
      url.port === port && (isSuffix ? url.hostname.endsWith(name) : url.hostname === name),
  );
  return isAllowed ? url : null;
}

/**
 * How the Worker tells the object who is calling. The object trusts this because nobody but the Worker can
 * reach it, and upgrade.ts builds the request anew: a header from outside never gets here.
 */
import type { Role } from '../protocol/messages.ts';
import type { Credential } from './peer.ts';

export interface Caller {
  readonly role: Role;
  readonly credential: Credential;
  /** Set when a ticket was shown: it counts once, and the object is who knows. */
  readonly ticket?: { readonly id: string; readonly expiresAt: number };
  /** A page can not read the status of a failed upgrade; it is told over the socket. */
  readonly isPage: boolean;
}

const HEADER = 'X-Holdfast-Caller';

export function passCaller(caller: Caller): Record<string, string> {
  return { [HEADER]: JSON.stringify(caller) };
}

export function readCaller(request: Request): Caller {
  const header = request.headers.get(HEADER);
  if (header === null) throw new Error('invariant: a request reached the workspace around the gate');
  return JSON.parse(header) as Caller;
}

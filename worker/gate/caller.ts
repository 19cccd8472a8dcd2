/**
 * How the Worker tells the object who is calling. The object trusts this header because only the Worker can reach it,
 * and upgrade.ts builds the request from scratch: a header from outside never gets here.
 */
import type { ClientKind } from '../../protocol/audit.ts';
import type { Role } from '../../protocol/roles.ts';
import type { Credential } from '../peers/peer.ts';

export interface Caller {
  readonly role: Role;
  readonly credential: Credential;
  /** Set when a ticket was used. A ticket works once; only the object knows whether it was used before. */
  readonly ticket?: { readonly id: string; readonly expiresAt: number };
  /** The only session that the caller sees; absent for all. [SL5] */
  readonly session?: string;
  /** A page cannot read the status of a failed upgrade, so it gets a close code instead. */
  readonly isPage: boolean;
  /** For an agent: an object does not know its own name, and the fleet does not know workspaces otherwise. */
  readonly workspace?: string;
  /** The kind of calling program: a label for the audit trail, on which nothing depends. */
  readonly client: ClientKind;
}

const HEADER = 'X-Holdfast-Caller';

export function passCaller(caller: Caller): Record<string, string> {
  // A header holds Latin-1, but a person's name may not fit, so everything but ASCII is escaped as in JSON.
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return { [HEADER]: JSON.stringify(caller).replace(/[^\x20-\x7e]/g, escaped) };
}

export function readCaller(request: Request): Caller {
  const header = request.headers.get(HEADER);
  if (header === null) throw new Error('invariant: a request reached the workspace around the gate');
  return JSON.parse(header) as Caller;
}

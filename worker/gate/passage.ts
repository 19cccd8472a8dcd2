/** The gate's decision: who sent a request, or why it is refused. */

import type { PageKey } from '../../protocol/page-login.ts';
import { clientRoleSchema, type Role } from '../../protocol/roles.ts';
import type { Claims } from '../../protocol/token.ts';
import type { RefusalReason } from './auth-failures.ts';
import type { Caller } from './caller.ts';
import type { FleetCode } from './fleet-code.ts';
import type { OriginSettings } from './origins.ts';
import type { Keys } from './token.ts';

/**
 * The first five belong to a person, a program or an agent of one workspace. The others belong to nobody's role: they
 * are accepted only where a route names them. `share` is a share link, whose role its workspace knows; `owner` is a
 * proof of the owner's key.
 */
export type CredentialKind =
  | 'bearer'
  | 'cookie'
  | 'ticket'
  | 'renewal'
  | 'code'
  | 'share'
  | 'owner'
  | 'owner_cookie'
  | 'owner_link'
  | 'owner_renewal'
  | 'invite';

/** Who sent a request that the gate has accepted. */
export interface Principal {
  readonly workspace: string;
  /**
   * The token's claims. With a ticket or a login: the claims of the underlying token, with the ticket's or login's
   * role.
   */
  readonly claims: Claims;
  readonly caller: Caller;
  readonly kind: CredentialKind;
  /** The key that proved a renewal, also one of the owner's login. */
  readonly pageKey?: PageKey;
  /** What an invite or a link for the owner is called by the fleet, which knows whether it was used. */
  readonly fleetCode?: FleetCode;
}

/**
 * Which guests a route is for: nobody if it does not say, those who see all sessions, or also those who see one. The
 * workspace's object shows the latter nothing of other sessions. [SL2] [SL5]
 */
type Guests = 'with all sessions' | 'also with one session';

/** A route is public, or open to certain roles of the workspace in its path with certain kinds of credential. */
export type Access =
  | 'public'
  | {
      readonly roles: readonly Role[];
      readonly credentials: readonly CredentialKind[];
      readonly guests?: Guests;
    }
  | OwnWorkspace
  | NoWorkspace;

/** A route that names no workspace: the token's is meant. Cookies are found by the workspace, so only tokens work. */
export interface OwnWorkspace {
  readonly workspace: 'of the token';
  readonly roles: readonly Role[];
  readonly credentials: readonly ['bearer'];
  readonly guests?: Guests;
}

/** A route about the relay itself, for its owner or for a machine that joins. */
export interface NoWorkspace {
  readonly workspace: 'none';
  readonly roles: readonly [];
  readonly credentials: readonly CredentialKind[];
  readonly guests?: never;
}

/** For routes that every person of a workspace may use, and for those of operators. */
export const people = { roles: clientRoleSchema.options, credentials: ['bearer', 'cookie'] } as const;
export const operators = { ...people, roles: ['operator'] } as const;

/** The same, for guests too. */
export const peopleAndGuests = { ...people, guests: 'also with one session' } as const;
export const operatorsAndGuests = { ...operators, guests: 'also with one session' } as const;

/** The same, for guests who see all sessions. */
export const peopleOfAllSessions = { ...people, guests: 'with all sessions' } as const;
export const operatorsOfAllSessions = { ...operators, guests: 'with all sessions' } as const;

/** For routes of a workspace's operators that the relay's owner may use too, in any workspace. */
export const operatorsAndOwner = {
  ...operators,
  credentials: [...operators.credentials, 'owner', 'owner_cookie'],
} as const;

/** For the owner alone. */
export const owner = { workspace: 'none', roles: [], credentials: ['owner', 'owner_cookie'] } as const;
/** For the owner's page. */
export const ownerPage = { ...owner, credentials: ['owner_cookie'] } as const;

export interface Refused {
  readonly ok: false;
  readonly status: 401 | 403 | 404 | 429;
  /** Null when the refusal is not a failed authentication. */
  readonly reason: RefusalReason | null;
  readonly message: string;
  readonly retryAfterMs?: number;
}

export type Passage = { readonly ok: true; readonly principal: Principal } | Refused;

export interface GateSettings extends OriginSettings {
  readonly keys: Keys;
  /** The public key of the relay's owner; null if it has none. */
  readonly owner: string | null;
}

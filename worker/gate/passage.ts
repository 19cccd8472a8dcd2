/** What the gate decides: who a request comes from, or why it is refused. */
import type { Role } from '../../protocol/messages.ts';
import type { PageKey } from '../../protocol/page-login.ts';
import type { Claims } from '../../protocol/token.ts';
import type { RefusalReason } from './auth-failures.ts';
import type { Caller } from './caller.ts';
import type { OriginSettings } from './origins.ts';
import type { Keys } from './token.ts';

export type CredentialKind = 'bearer' | 'cookie' | 'ticket' | 'renewal';

/** Who a request comes from, once the gate has let it in. */
export interface Principal {
  readonly workspace: string;
  /** What the token says; with a ticket or a login, the token that it came from, in the role of that. */
  readonly claims: Claims;
  readonly caller: Caller;
  readonly kind: CredentialKind;
  /** The key that a renewal was proven with. */
  readonly pageKey?: PageKey;
}

/** A route is for everybody, or for these roles of the workspace in its path, shown in one of these ways. */
export type Access =
  | 'public'
  | { readonly roles: readonly Role[]; readonly credentials: readonly CredentialKind[] };

export interface Refused {
  readonly ok: false;
  readonly status: 401 | 403 | 404 | 429;
  /** Null for what is no failed authentication. */
  readonly reason: RefusalReason | null;
  readonly message: string;
  readonly retryAfterMs?: number;
}

export type Passage = { readonly ok: true; readonly principal: Principal } | Refused;

export interface GateSettings extends OriginSettings {
  readonly keys: Keys;
}

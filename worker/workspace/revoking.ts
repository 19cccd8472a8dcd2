/**
 * Revokes tokens of a workspace, lists revocations and undoes them, and ends what was made with a revoked token. The
 * gate decides who may ask. Rule GT8.
 */
import type { AuditJournal } from '../audit/audit-journal.ts';
import type { Caller } from '../gate/caller.ts';
import type { Revocation, RevocationList, RevocationOutcome } from '../registry/revocation.ts';
import { callerActor, described } from './administration.ts';
import type { PresenceWatch } from './presence-watch.ts';
import type { Pushes } from './pushes.ts';
import type { Sharing } from './sharing.ts';
import type { WorkspaceSockets } from './workspace-sockets.ts';

/** One token by its id, or all that were revoked by time. */
type Revoked = { readonly jti: string } | 'before';

/** What is asked about revocations. */
export type RevocationRequest =
  | { readonly kind: 'list'; readonly after: string }
  | { readonly kind: 'revoke'; readonly revocation: Revocation }
  | { readonly kind: 'undo'; readonly what: Revoked };

export interface RevocationAnswers {
  readonly list: RevocationList;
  readonly revoke: RevocationOutcome;
  /** Whether there was such a revocation. */
  readonly undo: boolean;
}

export type RevocationAnswer = RevocationAnswers[RevocationRequest['kind']];

interface Parts {
  readonly sockets: WorkspaceSockets;
  readonly presence: PresenceWatch;
  readonly journal: AuditJournal;
  readonly pushes: Pushes;
  readonly sharing: Sharing;
}

export class Revoking {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  perform(caller: Caller, request: RevocationRequest, now: number): RevocationAnswer {
    switch (request.kind) {
      case 'list':
        return this.#parts.sockets.registry.listRevocations(request.after);
      case 'revoke':
        return this.#revoke(caller, request.revocation, now);
      case 'undo':
        return this.#undo(caller, request.what, now);
    }
  }

  #revoke(caller: Caller, revocation: Revocation, now: number): RevocationOutcome {
    const { presence, pushes, sharing, journal } = this.#parts;
    const outcome = presence.revoke(revocation, now);
    if (outcome !== 'revoked') return outcome;
    pushes.revoked(revocation);
    sharing.tokensRevoked(revocation);
    journal.did(callerActor(caller), 'revoked', now, { detail: described(revocation) });
    return outcome;
  }

  #undo(caller: Caller, what: Revoked, now: number): boolean {
    const { sockets, journal } = this.#parts;
    const isUndone = sockets.registry.undoRevocation(what);
    const detail = what === 'before' ? 'before' : `token ${what.jti}`;
    if (isUndone) journal.did(callerActor(caller), 'revocation_undone', now, { detail });
    return isUndone;
  }
}

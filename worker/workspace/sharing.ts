/**
 * Makes, lists, opens and revokes the share links of a workspace, and closes what a revoked one has opened. The registry
 * keeps them; who may ask is decided by the gate. Rules SL1 to SL8.
 */
import { displayName } from '../../protocol/audit.ts';
import type { ClientRole } from '../../protocol/roles.ts';
import type { AuditJournal } from '../audit/audit-journal.ts';
import type { Caller } from '../gate/caller.ts';
import type { Revocation } from '../registry/revocation.ts';
import type { ShareLink } from '../registry/share-links.ts';
import { callerActor } from './administration.ts';
import type { PresenceWatch } from './presence-watch.ts';
import type { WorkspaceSockets } from './workspace-sockets.ts';

/** What is asked of the links of a workspace. */
export type LinkRequest =
  | { readonly kind: 'list' }
  | { readonly kind: 'make'; readonly link: NewLink }
  | { readonly kind: 'revoke'; readonly id: string }
  /** By a caller who shows the link itself. */
  | { readonly kind: 'open' };

export type NewLink = Pick<ShareLink, 'id' | 'role' | 'session' | 'label' | 'expiresAt'>;

export interface LinkAnswers {
  readonly list: readonly ShareLink[];
  readonly make: ShareLink | 'list_full' | 'no_session';
  /** Whether there was such a link. */
  readonly revoke: boolean;
  /** Null when the link opens nothing any more. */
  readonly open: OpenedLink | null;
}

export type LinkAnswer = LinkAnswers[LinkRequest['kind']];

/** What the login of whoever opens the link may do. */
export interface OpenedLink {
  readonly role: ClientRole;
  readonly session: string | null;
  readonly label: string;
  /** Seconds since 1970. */
  readonly issuedAt: number;
}

export class Sharing {
  readonly #sockets: WorkspaceSockets;
  readonly #presence: PresenceWatch;
  readonly #journal: AuditJournal;

  constructor(sockets: WorkspaceSockets, presence: PresenceWatch, journal: AuditJournal) {
    this.#sockets = sockets;
    this.#presence = presence;
    this.#journal = journal;
  }

  perform(caller: Caller, request: LinkRequest, now: number): LinkAnswer {
    switch (request.kind) {
      case 'list':
        return this.#links.list(now);
      case 'make':
        return this.#make(caller, request.link, now);
      case 'revoke':
        return this.#revoke(caller, request.id, now);
      case 'open':
        return this.#open(caller, now);
    }
  }

  /** A link ends with the token that made it, and with a revocation of everything that is as old as it. [SL4] */
  tokensRevoked(revocation: Revocation): void {
    const ended = this.#links.removeWhere((link) =>
      'jti' in revocation
        ? link.id === revocation.jti || link.makerToken === revocation.jti
        : issuedAt(link) * 1000 < revocation.before,
    );
    this.#presence.closeTokens(ended);
  }

  #make(caller: Caller, link: NewLink, now: number): LinkAnswers['make'] {
    const { tokenId } = caller.credential;
    if (link.session !== null && !this.#isThere(link.session, now)) return 'no_session';
    const made = { ...link, madeBy: displayName(caller.credential), makerToken: tokenId, madeAt: now };
    const whole: ShareLink = { ...made, usedAt: null, uses: 0 };
    if (!this.#links.add(whole)) return 'list_full';
    this.#journal.did(callerActor(caller), 'link_made', now, auditedLink(whole));
    return whole;
  }

  #revoke(caller: Caller, id: string, now: number): boolean {
    const link = this.#links.get(id);
    if (link === undefined) return false;
    this.#links.remove(id);
    this.#presence.closeTokens([id]);
    this.#journal.did(callerActor(caller), 'link_revoked', now, auditedLink(link));
    return true;
  }

  #open(caller: Caller, now: number): OpenedLink | null {
    const link = this.#links.get(caller.credential.tokenId);
    if (link === undefined || link.expiresAt <= now) return null;
    if (link.session !== null && this.#sockets.registry.sessions.get(link.session, now) === null) return null;
    this.#links.used(link.id, now);
    const actor = { ...callerActor(caller), name: guestName(link), role: link.role };
    this.#journal.did(actor, 'link_used', now, auditedLink(link));
    return { role: link.role, session: link.session, label: guestName(link), issuedAt: issuedAt(link) };
  }

  #isThere(session: string, now: number): boolean {
    const known = this.#sockets.registry.sessions.get(session, now);
    return known !== null && known.status !== 'lost' && known.endedBy === undefined;
  }

  get #links() {
    return this.#sockets.registry.links;
  }
}

/** As the `iat` of a token made at the same time. */
const issuedAt = ({ madeAt }: ShareLink): number => Math.floor(madeAt / 1000);

/** Others must be able to tell a guest from a person of the same name. */
const guestName = ({ label }: ShareLink): string => `${label} (link)`;

const auditedLink = ({ role, session, label }: ShareLink) => ({
  detail: `${role}: ${label}`,
  ...(session === null ? {} : { session }),
});

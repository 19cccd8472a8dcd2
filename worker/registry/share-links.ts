/**
 * The share links of a workspace: what each is for, who made it, and when it was used. Read once after a wake-up and
 * then kept in memory, because every use of a login that came by a link asks whether the link still exists. A row that
 * cannot be read counts as absent, and its link as revoked.
 */
import * as v from 'valibot';
import { SHARE_LINKS_MAX } from '../../protocol/limits.ts';
import { type ClientRole, clientRoleSchema } from '../../protocol/roles.ts';

/** Times in ms. */
const linkSchema = v.object({
  /** The token id of every credential for which the link is traded. */
  id: v.string(),
  role: clientRoleSchema,
  /** The only session that it shows; null for all. */
  session: v.nullable(v.string()),
  label: v.string(),
  made_by: v.string(),
  maker_token: v.string(),
  made_at: v.number(),
  expires_at: v.number(),
  used_at: v.nullable(v.number()),
  uses: v.number(),
});

export interface ShareLink {
  readonly id: string;
  readonly role: ClientRole;
  readonly session: string | null;
  readonly label: string;
  /** The name of whoever made it, and the token that this person had: when that is revoked, so is the link. */
  readonly madeBy: string;
  readonly makerToken: string;
  readonly madeAt: number;
  readonly expiresAt: number;
  readonly usedAt: number | null;
  readonly uses: number;
}

export class ShareLinks {
  readonly #sql: Pick<SqlStorage, 'exec'>;
  #links: Map<string, ShareLink> | undefined;

  constructor(sql: Pick<SqlStorage, 'exec'>) {
    this.#sql = sql;
  }

  /** Newest first. */
  list(now: number): ShareLink[] {
    this.#forgetExpired(now);
    return [...this.#all().values()].sort((a, b) => b.madeAt - a.madeAt);
  }

  get(id: string): ShareLink | undefined {
    return this.#all().get(id);
  }

  /** False when there are too many. */
  add(link: ShareLink): boolean {
    this.#forgetExpired(link.madeAt);
    if (this.#all().size >= SHARE_LINKS_MAX) return false;
    this.#sql.exec(
      `INSERT INTO share_links (id, role, session, label, made_by, maker_token, made_at, expires_at, used_at, uses)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[link.id, link.role, link.session, link.label, link.madeBy, link.makerToken],
      ...[link.madeAt, link.expiresAt, link.usedAt, link.uses],
    );
    this.#all().set(link.id, link);
    return true;
  }

  used(id: string, now: number): void {
    const link = this.#all().get(id);
    if (link === undefined) return;
    this.#sql.exec('UPDATE share_links SET used_at = ?, uses = uses + 1 WHERE id = ?', now, id);
    this.#all().set(id, { ...link, usedAt: now, uses: link.uses + 1 });
  }

  remove(id: string): boolean {
    this.#sql.exec('DELETE FROM share_links WHERE id = ?', id);
    return this.#all().delete(id);
  }

  /** Returns the ids of those that were removed. */
  removeWhere(isMeant: (link: ShareLink) => boolean): string[] {
    const meant = [...this.#all().values()].filter(isMeant).map(({ id }) => id);
    for (const id of meant) this.remove(id);
    return meant;
  }

  #forgetExpired(now: number): void {
    this.removeWhere(({ expiresAt }) => expiresAt <= now);
  }

  #all(): Map<string, ShareLink> {
    this.#links ??= new Map(
      this.#sql
        .exec<Record<string, SqlStorageValue>>('SELECT * FROM share_links')
        .toArray()
        .flatMap(linkOf)
        .map((link) => [link.id, link]),
    );
    return this.#links;
  }
}

function linkOf(row: Record<string, SqlStorageValue>): readonly ShareLink[] {
  const read = v.safeParse(linkSchema, row);
  if (!read.success) return [];
  const { id, role, session, label, uses, ...times } = read.output;
  const { made_by: madeBy, maker_token: makerToken } = times;
  const { made_at: madeAt, expires_at: expiresAt, used_at: usedAt } = times;
  return [{ id, role, session, label, madeBy, makerToken, madeAt, expiresAt, usedAt, uses }];
}

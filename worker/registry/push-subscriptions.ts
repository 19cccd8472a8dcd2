/**
 * Who is told when a session wants attention, and the key with which that is signed. Subscriptions are read once after
 * a wake-up and then kept in memory: without any, what an agent tells of attention touches no storage.
 */
import * as v from 'valibot';
import {
  PUSH_MUTES_MAX,
  PUSH_PERSON_MAX,
  PUSH_SUBSCRIPTIONS_MAX,
  PUSH_VIEWERS_MAX,
} from '../../protocol/limits.ts';
import { id as idSchema } from '../../protocol/messages/message-parts.ts';
import type { ClientRole } from '../../protocol/roles.ts';
import type { Credential } from '../peers/peer.ts';
import type { VapidKey } from '../push/vapid.ts';
import { countOf, parseJson } from './stored-values.ts';

/** A browser that wants to be told. */
export interface PushSubscription {
  readonly id: string;
  /** Whose it is: a role and a name, or the token where it has none. */
  readonly person: string;
  readonly role: ClientRole;
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
  /** Sessions of which it does not want to be told. */
  readonly muted: readonly string[];
  /** The address of the page that it opens: `https://relay.example.com/w/local`. */
  readonly page: string;
  /** With what it asked. It is told for as long as that is valid. */
  readonly credential: Credential;
}

/**
 * `taken`: that browser is subscribed for somebody else, and the caller does not have its keys. `full`: there is no room
 * for another person.
 */
export type SubscribeOutcome = 'subscribed' | 'taken' | 'full';

export const mutedSchema = v.pipe(v.array(idSchema), v.maxLength(PUSH_MUTES_MAX));

type Stored = Record<string, SqlStorageValue>;

export class PushSubscriptions {
  readonly #sql: Pick<SqlStorage, 'exec'>;
  #known: Map<string, PushSubscription> | undefined;

  constructor(sql: Pick<SqlStorage, 'exec'>) {
    this.#sql = sql;
  }

  key(): VapidKey | null {
    const [row] = this.#sql.exec<Stored>('SELECT public_key, private_key FROM push_key').toArray();
    if (row === undefined) return null;
    return { publicKey: String(row.public_key), privateKey: String(row.private_key) };
  }

  /** The first key is kept, if two were made at the same time. Subscriptions to a key that was lost are useless. */
  keepKey({ publicKey, privateKey }: VapidKey): VapidKey {
    const known = this.key();
    if (known !== null) return known;
    this.#sql.exec('DELETE FROM push_subscriptions');
    this.#known = undefined;
    const sql = 'INSERT INTO push_key (only_row, public_key, private_key) VALUES (1, ?, ?)';
    this.#sql.exec(sql, publicKey, privateKey);
    return { publicKey, privateKey };
  }

  /** The one that was made or renewed first comes first. */
  list(): readonly PushSubscription[] {
    return [...this.#all().values()];
  }

  get(id: string): PushSubscription | undefined {
    return this.#all().get(id);
  }

  /** Those that have ended must be removed before: they would take the room of others. */
  add(asked: PushSubscription): SubscribeOutcome {
    const known = this.#all().get(asked.id);
    if (known !== undefined && known.person !== asked.person && !isSameBrowser(known, asked)) return 'taken';
    const others = this.list().filter(({ id }) => id !== asked.id);
    const own = others.filter(({ person }) => person === asked.person);
    // A browser whose data was deleted leaves one behind, so the oldest makes room.
    const replaced = own.length >= PUSH_PERSON_MAX ? own[0] : undefined;
    const left = others.filter((one) => one !== replaced);
    const viewers = left.filter(({ role }) => role === 'viewer');
    if (left.length >= PUSH_SUBSCRIPTIONS_MAX) return 'full';
    if (asked.role === 'viewer' && viewers.length >= PUSH_VIEWERS_MAX) return 'full';
    if (replaced !== undefined) this.remove(replaced.id);
    this.#write(asked);
    return 'subscribed';
  }

  remove(id: string): void {
    this.#sql.exec('DELETE FROM push_subscriptions WHERE id = ?', id);
    this.#all().delete(id);
  }

  #write(asked: PushSubscription): void {
    const { id, person, role, endpoint, p256dh, auth, muted, page, credential } = asked;
    const { tokenId, issuedAt, expiresAt } = credential;
    this.#sql.exec(
      `INSERT OR REPLACE INTO push_subscriptions
       (id, person, role, endpoint, p256dh, auth, muted, page, token_id, issued_at, expires_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[id, person, role, endpoint, p256dh, auth, JSON.stringify(muted), page],
      ...[tokenId, issuedAt, expiresAt],
    );
    // A replaced row is the newest in storage too.
    this.#all().delete(id);
    this.#all().set(id, asked);
  }

  #all(): Map<string, PushSubscription> {
    this.#known ??= new Map(
      this.#sql
        .exec<Stored>(
          `SELECT id, person, role, endpoint, p256dh, auth, muted, page, token_id, issued_at, expires_at
           FROM push_subscriptions ORDER BY rowid`,
        )
        .toArray()
        .map(subscriptionOf)
        .map((subscription) => [subscription.id, subscription]),
    );
    return this.#known;
  }
}

/** A browser has the same address and keys for as long as it is subscribed, whoever is logged in. */
const isSameBrowser = (a: PushSubscription, b: PushSubscription): boolean =>
  a.p256dh === b.p256dh && a.auth === b.auth;

function subscriptionOf(row: Stored): PushSubscription {
  const muted = v.safeParse(mutedSchema, parseJson(row.muted));
  return {
    id: String(row.id),
    person: String(row.person),
    role: row.role === 'operator' ? 'operator' : 'viewer',
    endpoint: String(row.endpoint),
    p256dh: String(row.p256dh),
    auth: String(row.auth),
    muted: muted.success ? muted.output : [],
    page: String(row.page),
    credential: {
      tokenId: String(row.token_id),
      issuedAt: countOf(row.issued_at),
      expiresAt: countOf(row.expires_at),
    },
  };
}

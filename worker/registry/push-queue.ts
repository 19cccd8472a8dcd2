/** What was planned last for each session, the pushes that wait to be sent, and how many were sent. */
import { SESSIONS_MAX } from '../../protocol/limits.ts';
import type { Planned } from '../push/push-rules.ts';
import { countOf } from './stored-values.ts';

/** A push that waits to be sent, or to be sent again. There is one for each subscription and session. */
export interface QueuedPush {
  readonly subscription: string;
  readonly session: string;
  /** The `at` of the attention that it tells. */
  readonly moment: string;
  /** How often it was sent. */
  readonly attempts: number;
  readonly dueAt: number;
}

/** `failed` counts attempts, `dropped` pushes that were given up. */
export type PushCounts = Readonly<Record<'sent' | 'failed' | 'dropped', number>>;

type Stored = Record<string, SqlStorageValue>;

export class PushQueue {
  readonly #sql: Pick<SqlStorage, 'exec'>;

  constructor(sql: Pick<SqlStorage, 'exec'>) {
    this.#sql = sql;
  }

  planned(session: string): Planned | null {
    const [row] = this.#rows('SELECT moment, due_at FROM push_plans WHERE session = ?', session);
    return row === undefined ? null : { moment: String(row.moment), dueAt: countOf(row.due_at) };
  }

  plan(session: string, { moment, dueAt }: Planned): void {
    const sql = 'INSERT OR REPLACE INTO push_plans (session, moment, due_at) VALUES (?, ?, ?)';
    this.#sql.exec(sql, session, moment, dueAt);
  }

  /** Plans of sessions that are gone are the oldest at some time, and are forgotten then. */
  forgetPlans(): void {
    this.#sql.exec(
      'DELETE FROM push_plans WHERE rowid <= (SELECT rowid FROM push_plans ORDER BY rowid DESC LIMIT 1 OFFSET ?)',
      SESSIONS_MAX,
    );
  }

  /** Which pushes wait. */
  waiting(): Pick<QueuedPush, 'subscription' | 'session'>[] {
    return this.#rows('SELECT subscription, session FROM push_queue').map(({ subscription, session }) => ({
      subscription: String(subscription),
      session: String(session),
    }));
  }

  /** Replaces an older push of that session to that browser. The caller limits how many there are. */
  add({ subscription, session, moment, attempts, dueAt }: QueuedPush): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO push_queue (subscription, session, moment, attempts, due_at) VALUES (?, ?, ?, ?, ?)',
      ...[subscription, session, moment, attempts, dueAt],
    );
  }

  /** Those to be sent now; the one that has waited longest comes first. */
  due(now: number): QueuedPush[] {
    const sql = `SELECT subscription, session, moment, attempts, due_at FROM push_queue
                 WHERE due_at <= ? ORDER BY due_at, rowid`;
    return this.#rows(sql, now).map((row) => ({
      subscription: String(row.subscription),
      session: String(row.session),
      moment: String(row.moment),
      attempts: countOf(row.attempts),
      dueAt: countOf(row.due_at),
    }));
  }

  /** When the next one is due after `now`; null when none is. */
  nextDue(now: number): number | null {
    const [row] = this.#rows('SELECT min(due_at) AS due_at FROM push_queue WHERE due_at > ?', now);
    return typeof row?.due_at === 'number' ? row.due_at : null;
  }

  /** Counted before it is sent, so that one in whose middle the relay ends is not sent for ever. */
  attempted({ subscription, session }: QueuedPush): void {
    const sql = 'UPDATE push_queue SET attempts = attempts + 1 WHERE subscription = ? AND session = ?';
    this.#sql.exec(sql, subscription, session);
  }

  /** Like `remove`, only for that moment: a newer one may have taken its place. */
  postpone({ subscription, session, moment }: QueuedPush, dueAt: number): void {
    const sql = 'UPDATE push_queue SET due_at = ? WHERE subscription = ? AND session = ? AND moment = ?';
    this.#sql.exec(sql, dueAt, subscription, session, moment);
  }

  remove({ subscription, session, moment }: QueuedPush): void {
    const sql = 'DELETE FROM push_queue WHERE subscription = ? AND session = ? AND moment = ?';
    this.#sql.exec(sql, subscription, session, moment);
  }

  count(name: keyof PushCounts, pushes = 1): void {
    this.#sql.exec(
      'INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = value + excluded.value',
      ...[`push_${name}`, pushes],
    );
  }

  counts(): PushCounts {
    const rows = this.#rows("SELECT name, value FROM facts WHERE name LIKE 'push\\_%' ESCAPE '\\'");
    const counted = new Map(rows.map(({ name, value }) => [String(name), countOf(value)]));
    const of = (name: keyof PushCounts) => counted.get(`push_${name}`) ?? 0;
    return { sent: of('sent'), failed: of('failed'), dropped: of('dropped') };
  }

  #rows(sql: string, ...values: SqlStorageValue[]): Stored[] {
    return this.#sql.exec<Stored>(sql, ...values).toArray();
  }
}

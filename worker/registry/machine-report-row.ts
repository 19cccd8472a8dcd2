/** What a workspace has stored about its reports to the fleet: the plan, and what the fleet took last. */
import * as v from 'valibot';
import type { AttentionCounts, MachineReport } from '../fleet/machine-report.ts';
import { NO_PLAN, type ReportPlan } from '../fleet/report-plan.ts';
import { countOf, parseJson } from './stored-values.ts';

export interface StoredReport {
  /** The name under which the fleet knows this workspace; null until a machine has connected. */
  readonly workspace: string | null;
  readonly plan: ReportPlan;
  /** Whether the machine was online when that was looked at last. */
  readonly wasOnline: boolean;
  /** The last report that the fleet has taken. */
  readonly taken: MachineReport | null;
}

const NOTHING: StoredReport = { workspace: null, plan: NO_PLAN, wasOnline: false, taken: null };

const moment = v.nullable(v.number());
const reportSchema = v.object({
  isOnline: v.boolean(),
  since: moment,
  lastSeen: moment,
  sessions: v.number(),
  attention: v.nullable(v.object({ state: v.picklist(['asks', 'failed', 'done']), count: v.number() })),
  version: v.nullable(v.string()),
});

export class MachineReportRow {
  readonly #sql: Pick<SqlStorage, 'exec'>;
  #kept: StoredReport | undefined;

  constructor(sql: Pick<SqlStorage, 'exec'>) {
    this.#sql = sql;
  }

  /** Read once after a wake-up. */
  get(): StoredReport {
    this.#kept ??= this.#read();
    return this.#kept;
  }

  set(report: StoredReport): void {
    const { workspace, plan, wasOnline, taken } = report;
    this.#sql.exec(
      `INSERT OR REPLACE INTO machine_report
       (only_row, workspace, number, due_at, sent_at, attempts, was_online, taken) VALUES (1, ?, ?, ?, ?, ?, ?, ?)`,
      ...[workspace, plan.number, plan.dueAt, plan.sentAt, plan.attempts],
      ...[wasOnline ? 1 : 0, taken === null ? null : JSON.stringify(taken)],
    );
    this.#kept = report;
  }

  /**
   * How many sessions run, and how many want attention for which reason. Read from storage: attention is always written,
   * and counting there needs no parsing of a thousand descriptions.
   */
  sessions(): { readonly running: number; readonly attention: AttentionCounts } {
    const rows = this.#sql
      .exec<Record<string, SqlStorageValue>>(
        `SELECT status, CASE WHEN json_valid(info) THEN json_extract(info, '$.attention.state') END AS attention,
                count(*) AS count
         FROM sessions WHERE missing_since IS NULL GROUP BY 1, 2`,
      )
      .toArray();
    const countIf = (isMeant: (row: (typeof rows)[number]) => boolean) =>
      rows.filter(isMeant).reduce((sum, { count }) => sum + countOf(count), 0);
    const wanting = (state: string) => countIf(({ attention }) => attention === state);
    return {
      running: countIf(({ status }) => status === 'running'),
      attention: { asks: wanting('asks'), failed: wanting('failed'), done: wanting('done') },
    };
  }

  #read(): StoredReport {
    const [row] = this.#sql
      .exec<Record<string, SqlStorageValue>>(
        'SELECT workspace, number, due_at, sent_at, attempts, was_online, taken FROM machine_report',
      )
      .toArray();
    if (row === undefined) return NOTHING;
    const taken = v.safeParse(reportSchema, parseJson(row.taken));
    return {
      workspace: typeof row.workspace === 'string' ? row.workspace : null,
      plan: {
        number: countOf(row.number),
        dueAt: typeof row.due_at === 'number' ? row.due_at : null,
        sentAt: countOf(row.sent_at),
        attempts: countOf(row.attempts),
      },
      wasOnline: row.was_online === 1,
      taken: taken.success ? taken.output : null,
    };
  }
}

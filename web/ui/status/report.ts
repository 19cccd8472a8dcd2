/** The requests of the status page to the relay, and the possible answers. */
import * as v from 'valibot';

const time = v.nullable(v.string());

const sessionSchema = v.object({
  name: v.string(),
  status: v.picklist(['running', 'exited', 'lost']),
  attached: v.number(),
  exitCode: v.nullable(v.number()),
  signal: v.nullable(v.string()),
  cols: v.number(),
  rows: v.number(),
  foreground: v.nullish(v.string(), null),
  lastActivityAt: v.string(),
});
export type ReportedSession = v.InferOutput<typeof sessionSchema>;

const relaySchema = v.object({ version: v.string() });
const healthSchema = v.object({
  agent: v.object({
    state: v.picklist(['online', 'offline']),
    since: time,
    lastSeen: v.nullish(time, null),
    trouble: v.nullish(v.string(), null),
  }),
  sessions: v.object({ running: v.number(), orphaned: v.number(), exited: v.number() }),
  clients: v.number(),
});
const sessionsSchema = v.object({ sessions: v.array(sessionSchema) });

export interface WorkspaceReport extends v.InferOutput<typeof healthSchema> {
  readonly list: readonly ReportedSession[];
  /** Null when the agent is offline, and for a viewer: versions are for operators. */
  readonly agentVersion: string | null;
}

export type Report =
  | { readonly name: 'unreachable' }
  /** The relay answers; no workspace was asked for. */
  | { readonly name: 'relay'; readonly version: string }
  /** There is no credential, or it is no longer valid. */
  | { readonly name: 'locked'; readonly version: string }
  | { readonly name: 'workspace'; readonly version: string; readonly workspace: WorkspaceReport };

/** Fetches everything to show; never throws. */
export async function fetchReport(workspace: string | null): Promise<Report> {
  try {
    const { version } = v.parse(relaySchema, await (await fetch('/health')).json());
    if (workspace === null) return { name: 'relay', version };
    const api = `/api/workspaces/${workspace}`;
    const [health, sessions] = await Promise.all([fetch(`${api}/health`), fetch(`${api}/sessions`)]);
    if (isRefusal(health) || isRefusal(sessions)) return { name: 'locked', version };
    const report = {
      ...v.parse(healthSchema, await health.json()),
      list: v.parse(sessionsSchema, await sessions.json()).sessions,
      // Asked last: a request to the agent makes this page a client, and it would be counted among those above.
      agentVersion: await agentVersionOf(api),
    };
    return { name: 'workspace', version, workspace: report };
  } catch {
    return { name: 'unreachable' };
  }
}

const isRefusal = ({ status }: Response) => status === 401 || status === 403;

/** This request goes to the agent, which may be busy; the rest must not wait for it. */
const VERSION_WITHIN_MS = 2_000;

async function agentVersionOf(api: string): Promise<string | null> {
  try {
    const metrics = await fetch(`${api}/metrics`, { signal: AbortSignal.timeout(VERSION_WITHIN_MS) });
    return metrics.ok ? agentVersionIn(await metrics.text()) : null;
  } catch {
    return null;
  }
}

/** The agent reports its version as a metrics label, where monitoring looks for it too. */
export function agentVersionIn(metrics: string): string | null {
  return /^holdfast_agent_info\{[^}]*\bversion="([^"]+)"/m.exec(metrics)?.[1] ?? null;
}

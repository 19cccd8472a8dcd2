/** Defines the agent's metrics. */
import type { Agent } from '../link/agent.ts';
import type { RecoveryObserver } from '../link/recoveries.ts';
import type { ScreenPool } from '../screen/pool.ts';
import type { Metrics } from './metrics.ts';
import { AGENT_VERSION } from './version.ts';

/** From unnoticeable to obvious; 35 ms is the promise for an ordinary screen. */
const RECOVERY_BOUNDS_S = [0.001, 0.002, 0.005, 0.01, 0.02, 0.035, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** On the wire, deflated: a prompt has about 200 bytes, a long history about 100 KiB. */
const SNAPSHOT_BOUNDS_BYTES = [256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576];

/** How many recent times are kept to compute exact quantiles. */
const RECENT_MAX = 1000;
const QUANTILES = [0.5, 0.95, 0.99];

interface Described {
  readonly screens: ScreenPool;
  /** Whether the keeper has started this process with less. */
  readonly hasLess: boolean;
}

export function describeAgent(metrics: Metrics, agent: Agent, { screens, hasLess }: Described): void {
  metrics.gauge(
    'holdfast_agent_info',
    'Always 1; the labels are the versions of the agent and of its Node.',
    () => [[{ version: AGENT_VERSION, node: process.versions.node }, 1]],
  );
  metrics.gauge(
    'holdfast_agent_started_with_less',
    '1 if the keeper has started the agent without saved screens or output, because earlier ones ended early; else 0.',
    () => [[{}, hasLess ? 1 : 0]],
  );
  metrics.gauge('holdfast_sessions', 'Sessions by state; orphaned ones also count as running.', () =>
    Object.entries(agent.sessions.counts()).map(([state, count]) => [{ state }, count] as const),
  );
  metrics.gauge('holdfast_sessions_attention', 'Sessions that want attention, by why.', () =>
    ATTENTION_STATES.map((state) => [{ state }, attentionCount(agent, state)] as const),
  );
  metrics.total('holdfast_sessions_removed_total', 'Sessions that were removed, by reason.', () =>
    Object.entries(agent.sessions.removals).map(([reason, count]) => [{ reason }, count] as const),
  );
  metrics.gauge('holdfast_viewers', 'Attached clients of all sessions.', () => [
    [{}, agent.sessions.list().reduce((sum, { viewers }) => sum + viewers, 0)],
  ]);
  metrics.gauge('holdfast_output_bytes', 'Bytes printed by the current sessions.', () => [
    [{}, agent.sessions.list().reduce((sum, { end }) => sum + end, 0)],
  ]);
  metrics.gauge('holdfast_screens', 'Screens by state; those asleep have freed their memory.', () =>
    Object.entries(screens.counts()).map(([state, count]) => [{ state }, count] as const),
  );
  metrics.gauge('holdfast_screen_queue_bytes', 'Output waiting to be parsed.', () => [
    [{}, screens.queuedBytes],
  ]);
  metrics.gauge('holdfast_memory_bytes', 'Resident memory of the agent.', () => [
    [{}, process.memoryUsage.rss()],
  ]);
}

const ATTENTION_STATES = ['done', 'failed', 'asks'] as const;

function attentionCount(agent: Agent, state: (typeof ATTENTION_STATES)[number]): number {
  return agent.sessions.list().filter(({ notices }) => notices.described.attention?.state === state).length;
}

export function countRecoveries(metrics: Metrics): RecoveryObserver {
  const seconds = metrics.histogram(
    'holdfast_recovery_seconds',
    'Time from an attach request to the last byte of its replay on the link.',
    RECOVERY_BOUNDS_S,
  );
  const recent: number[] = [];
  metrics.gauge('holdfast_recovery_quantile_seconds', `The same, of the last ${RECENT_MAX}.`, () => {
    const sorted = recent.toSorted((a, b) => a - b);
    return sorted.length === 0 ? [] : QUANTILES.map((q) => [{ quantile: `${q}` }, quantile(sorted, q)]);
  });
  const kinds = metrics.counter('holdfast_recoveries_total', 'Attach requests answered, by kind of replay.');
  const returns = metrics.counter(
    'holdfast_reconnects_total',
    'Those of clients that had been attached before.',
  );
  const failures = metrics.counter('holdfast_failed_recoveries_total', 'Attach requests that failed.');
  const lost = metrics.counter(
    'holdfast_lost_bytes_total',
    'Bytes of output that were no longer kept when a client came back.',
  );
  const sizes = metrics.histogram(
    'holdfast_snapshot_bytes',
    'Snapshots sent, by their length on the wire.',
    SNAPSHOT_BOUNDS_BYTES,
  );
  // Report zero before anything happens: a rate needs a starting value.
  for (const count of [returns, failures, lost]) count(0);
  return {
    recovered({ ms, kind, isReturn, lostBytes }) {
      seconds(ms / 1000);
      if (recent.push(ms / 1000) > RECENT_MAX) recent.shift();
      kinds(1, { kind });
      if (isReturn) returns();
      lost(lostBytes);
    },
    failed: () => failures(),
    snapshotSent: (bytes) => sizes(bytes),
  };
}

function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0;
}

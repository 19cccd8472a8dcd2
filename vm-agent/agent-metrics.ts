/** Which numbers the agent tells. */
import type { Agent } from './agent.ts';
import { Metrics } from './metrics.ts';
import type { ScreenPool } from './screen/pool.ts';

export function agentMetrics(agent: Agent, screens: ScreenPool): Metrics {
  const metrics = new Metrics();
  metrics.gauge('holdfast_sessions', 'Sessions by state; orphaned ones are among the running.', () =>
    Object.entries(agent.sessions.counts()).map(([state, count]) => [{ state }, count] as const),
  );
  metrics.gauge('holdfast_sessions_removed_total', 'Sessions that are gone, by reason.', () =>
    Object.entries(agent.sessions.removals).map(([reason, count]) => [{ reason }, count] as const),
  );
  metrics.gauge('holdfast_viewers', 'Attached viewers over all sessions.', () => [
    [{}, agent.sessions.list().reduce((sum, { viewers }) => sum + viewers, 0)],
  ]);
  metrics.gauge('holdfast_output_bytes', 'Bytes printed by the sessions there are.', () => [
    [{}, agent.sessions.list().reduce((sum, { end }) => sum + end, 0)],
  ]);
  metrics.gauge('holdfast_screens', 'Screens by state; one asleep has given its memory back.', () =>
    Object.entries(screens.counts()).map(([state, count]) => [{ state }, count] as const),
  );
  metrics.gauge('holdfast_screen_queue_bytes', 'Output waiting to be parsed.', () => [
    [{}, screens.queuedBytes],
  ]);
  metrics.gauge('holdfast_memory_bytes', 'Resident memory of the agent.', () => [
    [{}, process.memoryUsage.rss()],
  ]);
  return metrics;
}

/** The workspace's metrics in Prometheus text format: those of the relay, and those of the agent if it is connected. */
import type { Context } from 'hono';
import { Refusal } from '../../protocol/errors.ts';
import type { AuthFailures } from '../gate/auth-failures.ts';
import { type App, callWorkspace, type Handler } from '../http/http.ts';
import { PRODUCT_VERSION } from '../platform/version.ts';
import type { WorkspaceFigures, WorkspaceHealth } from '../workspace/reports.ts';
import { withApiClient } from './link/open-client.ts';

/**
 * Prometheus waits ten seconds by default. If the agent is slow, a scrape with only the relay's metrics is better than
 * none.
 */
const AGENT_WITHIN_MS = 5_000;

export const showMetrics: Handler = async (c) => {
  const figures = await callWorkspace(c, (object, caller) => object.figures(caller));
  c.header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8');
  return c.body(
    relayMetrics(figures.health) +
      pushMetrics(figures) +
      authMetrics(c.var.authFailures) +
      (await agentMetrics(c)),
  );
};

function relayMetrics({ agent, clients, sessions }: WorkspaceHealth): string {
  const states = Object.entries(sessions).map(
    ([state, count]) => [`holdfast_relay_sessions{state="${state}"}`, count] as const,
  );
  return [
    ...family('holdfast_relay_info', 'gauge', 'Always 1; the label is the version of the relay.', [
      [`holdfast_relay_info{version="${PRODUCT_VERSION}"}`, 1],
    ]),
    ...family('holdfast_relay_agent_up', 'gauge', 'Whether the agent is connected.', [
      ['holdfast_relay_agent_up', agent.state === 'online' ? 1 : 0],
    ]),
    ...family('holdfast_relay_agent_connections_total', 'counter', 'How often an agent has connected.', [
      ['holdfast_relay_agent_connections_total', agent.generation],
    ]),
    ...family('holdfast_relay_clients', 'gauge', 'Pages, command lines and API streams that are connected.', [
      ['holdfast_relay_clients', clients],
    ]),
    ...family(
      'holdfast_relay_sessions',
      'gauge',
      'Sessions in the registry, also while the agent is offline; orphaned ones also count as running.',
      states,
    ),
    '',
  ].join('\n');
}

function pushMetrics({ pushes, subscriptions }: WorkspaceFigures): string {
  const name = 'holdfast_relay_pushes_total';
  const samples = Object.entries(pushes).map(
    ([outcome, count]) => [`${name}{outcome="${outcome}"}`, count] as const,
  );
  const help =
    'Pushes to browsers: sent, attempts that failed, and dropped, because they failed too often or were too many.';
  return [
    ...family(name, 'counter', help, samples),
    ...family('holdfast_relay_push_subscriptions', 'gauge', 'Browsers that are told of attention.', [
      ['holdfast_relay_push_subscriptions', subscriptions],
    ]),
    '',
  ].join('\n');
}

function authMetrics({ totals }: AuthFailures): string {
  const name = 'holdfast_relay_auth_failures_total';
  const samples = [...totals].map(([reason, count]) => [`${name}{reason="${reason}"}`, count] as const);
  const help =
    'Requests that the gate refused, by reason, for all workspaces, since this isolate of the relay started; each isolate counts its own.';
  return [...family(name, 'counter', help, samples), ''].join('\n');
}

function family(
  name: string,
  type: 'gauge' | 'counter',
  help: string,
  samples: readonly (readonly [name: string, value: number])[],
): string[] {
  const lines = samples.map(([sample, value]) => `${sample} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines];
}

async function agentMetrics(c: Context<App>): Promise<string> {
  try {
    const { text } = await withApiClient(c, {}, (client) =>
      client.requests.ask({ type: 'read_metrics' }, { withinMs: AGENT_WITHIN_MS }),
    );
    return text;
  } catch (error) {
    if (error instanceof Refusal && error.code === 'agent_offline') return '';
    throw error;
  }
}

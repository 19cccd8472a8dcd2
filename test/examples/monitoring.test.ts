/** The example dashboard, alerts and scrape configuration use metrics that relay and agent really export. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onPath, unlessMissing } from '../support/on-path.ts';
import { World } from '../support/world.ts';

const folder = new URL('../../examples/monitoring/', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, folder), 'utf8');

interface Panel {
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets: readonly { readonly expr: string }[];
}
const dashboard: { panels: Panel[]; templating: { list: { name: string; query: string }[] } } = JSON.parse(
  read('grafana-dashboard.json'),
);
const alerts = read('alerts.yml');

/** The labels of each sample, by name. */
type Samples = ReadonlyMap<string, ReadonlySet<string>>;

function samplesIn(text: string): Samples {
  const samples = new Map<string, Set<string>>();
  for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)(?:\{([^}]*)\})? \S+$/gm)) {
    const known = samples.get(name) ?? new Set(['workspace']);
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label);
    samples.set(name, known);
  }
  return samples;
}

/** The samples that an expression queries, with the labels it selects by. */
function askedFor(expression: string): [name: string, labels: string[]][] {
  return [...expression.matchAll(/\b(holdfast_\w+)(?:\{([^}]*)\})?/g)].map(
    ([, name = '', selectors = '']) => [
      name,
      [...selectors.matchAll(/(\w+)\s*(?:=~|!=|!~|=)/g)].map(([, label = '']) => label),
    ],
  );
}

function strangersIn(expressions: readonly string[], told: Samples): string[] {
  return expressions.flatMap(askedFor).flatMap(([name, labels]) => {
    const known = told.get(name);
    if (known === undefined) return [name];
    return labels.filter((label) => !known.has(label)).map((label) => `${name}{${label}}`);
  });
}

let told: Samples;

beforeAll(async () => {
  await using world = await World.open();
  const client = await world.client();
  const { id } = await client.client.create({
    cols: 80,
    rows: 24,
    command: 'sh',
    args: ['-c', 'echo here; cat'],
  });
  // Some metrics are exported only once they have a value.
  await client.attach(id).screen.sees(/here/);
  const api = await world.api();
  const { body } = await api.ask<string>('GET', '/metrics');
  told = samplesIn(body);
});

describe('the dashboard', () => {
  const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const variables = dashboard.templating.list.map(({ query }) => query);

  it('[R11] queries only metrics and labels that relay and agent export', () => {
    expect(expressions.length).toBeGreaterThan(15);
    expect(strangersIn([...expressions, ...variables], told)).toEqual([]);
  });

  it('[R11] shows every metric that they export', () => {
    const shown = new Set(expressions.flatMap(askedFor).map(([name]) => name));
    // Of a histogram, the buckets are drawn; the agent's own count of sessions equals the relay's.
    const left = [...told.keys()].filter((name) => !shown.has(name) && !/_(?:sum|count)$/.test(name));
    expect(left).toEqual(['holdfast_sessions']);
  });

  it('fails the check for a metric that nobody exports', () => {
    expect(strangersIn(['rate(holdfast_nothing_total[1m])', 'holdfast_screens{colour="red"}'], told)).toEqual(
      ['holdfast_nothing_total', 'holdfast_screens{colour}'],
    );
  });

  it('has a title and its own position for each panel', () => {
    const places = new Set<string>();
    for (const { title, gridPos } of dashboard.panels) {
      expect(title).not.toBe('');
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(places.has(`${x},${y}`), title).toBe(false);
          places.add(`${x},${y}`);
          expect(x, title).toBeLessThan(24);
        }
    }
  });
});

describe('the alerts', () => {
  it('[R11] query only metrics that relay and agent export', () => {
    const expressions = [...alerts.matchAll(/^ +expr: (.*)$/gm)].map(([, expr = '']) => expr);
    expect(expressions.length).toBeGreaterThan(5);
    expect(strangersIn(expressions, told)).toEqual([]);
  });

  it('each have an explanation', () => {
    const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    for (const [, name = ''] of alerts.matchAll(/- alert: (\w+)/g)) expect(page).toContain(`\`${name}\``);
  });
});

describe('the scrape configuration', () => {
  const promtool = onPath('promtool');
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-monitoring-'));
  afterAll(() => rmSync(dir, { recursive: true }));

  it.skipIf(promtool === undefined)(
    `is valid for Prometheus, including the alerts${unlessMissing('promtool', promtool)}`,
    () => {
      cpSync(fileURLToPath(folder), dir, { recursive: true });
      writeFileSync(join(dir, 'build-7.token'), 'token');
      const said = execFileSync(promtool ?? '', ['check', 'config', join(dir, 'prometheus.yml')]).toString();
      expect(said).toMatch(/prometheus\.yml is valid/);
      expect(said).toMatch(/SUCCESS: \d+ rules found/);
    },
  );
});

/**
 * `npm run bench`: measures the real thing beside its floors, prints Markdown, and writes docs/evidence/performance.md and its
 * charts. Names of measurements as arguments measure only those, and write nothing.
 *
 *   --quick       a few minutes, and writes nothing
 *   --check       fails when a ratio is clearly worse than in bench/baseline.json
 *   --json FILE   keeps the ratios and every sample there; without it, in dist/bench.json
 *   --baseline    makes this run's ratios the ones to compare with
 *   --smoke       as little as possible: shows that the measurements themselves work
 *
 * Figures move from machine to machine and with the neighbours' load; compare those of one run, above all the ratios.
 */
import './measuring/requires-proc.ts';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildAgent, buildPage, buildWorker } from '../tools/build.ts';
import { type Effort, FULL, QUICK, SMOKE } from './effort.ts';
import { MEASUREMENTS } from './measurements/all.ts';
import { describeMachine, load } from './measuring/machine.ts';
import { renderChart } from './report/chart.ts';
import { ratiosOf, renderGoals, renderSection, replaceGenerated } from './report/markdown.ts';
import { type Ratios, regressions } from './report/ratios.ts';
import type { Section } from './report/section.ts';

const DOCUMENT = new URL('../docs/evidence/performance.md', import.meta.url);
const CHARTS = new URL('../docs/evidence/charts/', import.meta.url);
const BASELINE = new URL('./baseline.json', import.meta.url);

const { values, positionals } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    smoke: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    baseline: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
  allowPositionals: true,
});

function chosenEffort(): Effort {
  if (values.smoke) return SMOKE;
  return values.quick ? QUICK : FULL;
}

function chosenMeasurements(): [string, (effort: Effort) => Promise<Section>][] {
  const unknown = positionals.filter((name) => !(name in MEASUREMENTS));
  if (unknown.length > 0) {
    console.error(
      `unknown measurement ${unknown.join(', ')}; measurements are ${Object.keys(MEASUREMENTS).join(', ')}.`,
    );
    process.exit(2);
  }
  return Object.entries(MEASUREMENTS).filter(
    ([name]) => positionals.length === 0 || positionals.includes(name),
  );
}

async function writeDocument(sections: readonly Section[], about: string): Promise<void> {
  const generated = [about, renderGoals(sections), ...sections.map(renderSection)].join('\n\n');
  await writeFile(DOCUMENT, replaceGenerated(await readFile(DOCUMENT, 'utf8'), generated));
  await mkdir(CHARTS, { recursive: true });
  for (const chart of sections.flatMap(({ charts = [] }) => charts))
    await writeFile(new URL(`${chart.name}.svg`, CHARTS), renderChart(chart));
}

/** A timeout in one measurement must not waste the half hour of all others: it is reported, and repeated once. */
async function measured(name: string, measure: () => Promise<Section>): Promise<Section> {
  try {
    return await measure();
  } catch (error) {
    console.error(`${name} failed and is repeated:`, error);
    return await measure();
  }
}

const measurements = chosenMeasurements();
await buildPage();
await buildWorker();
await buildAgent();
const sections: Section[] = [];
const loads = [load()];
for (const [name, measure] of measurements) {
  console.error(`Measuring: ${name} …`);
  const startedAt = performance.now();
  const section = await measured(name, () => measure(chosenEffort()));
  console.error(`… took ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  sections.push(section);
  loads.push(load());
  console.log(`${renderSection(section)}\n`);
}

const how = values.smoke ? ' -- --smoke' : values.quick ? ' -- --quick' : '';
const about = `\`npm run bench${how}\` on ${describeMachine()}; load ${loads.join(', ')} before, between and after the measurements.`;
const ratios = ratiosOf(sections);
console.log(`${renderGoals(sections)}\n\n${about}`);
const keptAt = values.json ?? fileURLToPath(new URL('../dist/bench.json', import.meta.url));
await writeFile(keptAt, `${JSON.stringify({ about, ratios, sections }, null, 1)}\n`);
const isWhole = positionals.length === 0 && !values.smoke;
if (isWhole && !values.quick) await writeDocument(sections, about);
if (values.baseline && isWhole) await writeFile(BASELINE, `${JSON.stringify({ about, ratios }, null, 2)}\n`);
if (values.check) {
  const { ratios: before } = JSON.parse(await readFile(BASELINE, 'utf8')) as { ratios: Ratios };
  const worse = regressions(before, ratios);
  for (const sentence of worse) console.error(sentence);
  console.error(
    worse.length === 0 ? 'No clear regression.' : `${worse.length} clearly worse than bench/baseline.json.`,
  );
  process.exitCode = worse.length === 0 ? 0 : 1;
}

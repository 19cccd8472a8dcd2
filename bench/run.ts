/**
 * `npm run bench`: measures, prints Markdown, and writes docs/performance.md. `-- --quick` takes a few minutes
 * and writes nothing; `-- --json FILE` keeps every sample.
 *
 * Figures move from machine to machine and with the neighbours' load; compare those of one run.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { buildAgent } from '../cli/build.ts';
import {
  type Effort,
  echoSection,
  FULL,
  floodSection,
  memorySection,
  QUICK,
  throughputSection,
} from './agent-sections.ts';
import { describeMachine, load } from './machine.ts';
import { renderSection, replaceGenerated, type Section } from './report.ts';

const DOCUMENT = new URL('../docs/performance.md', import.meta.url);

const MEASUREMENTS: Readonly<Record<string, (effort: Effort) => Promise<Section>>> = {
  throughput: throughputSection,
  echo: echoSection,
  memory: memorySection,
  flood: floodSection,
};

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, json: { type: 'string' } },
  allowPositionals: true,
});

await buildAgent();
const sections: Section[] = [];
const loads = [load()];
for (const [name, measure] of Object.entries(MEASUREMENTS)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  console.error(`Measuring: ${name} …`);
  const section = await measure(values.quick ? QUICK : FULL);
  sections.push(section);
  loads.push(load());
  console.log(`${renderSection(section)}\n`);
}

const about = `On ${describeMachine()}; load ${loads.join(', ')} before, between and after the measurements.`;
console.log(about);
if (values.json !== undefined) await writeFile(values.json, JSON.stringify({ about, sections }, null, 1));
if (!values.quick && positionals.length === 0) {
  const generated = [about, ...sections.map(renderSection)].join('\n\n');
  await writeFile(DOCUMENT, replaceGenerated(await readFile(DOCUMENT, 'utf8'), generated));
}

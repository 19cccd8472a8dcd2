/**
 * `npm run chaos -- --seed <n> --faults <n> [--commands <n>] [--only deploys|kills|agents] [--report <file>]`: prints what happened, a table of recovery times, and the verdict.
 * A failure names its seed; the same seed draws the same faults in the same order.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { buildAgent, buildPage, buildWorker } from '../../tools/build.ts';
import { renderChaos } from './chaos-report.ts';
import { runChaos } from './chaos-run.ts';
import { DRILLS, type Drill, type Pace } from './faults.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    faults: { type: 'string', default: '100' },
    clients: { type: 'string', default: '4' },
    commands: { type: 'string', default: '100' },
    'no-page': { type: 'boolean', default: false },
    only: { type: 'string' },
    report: { type: 'string' },
  },
});

const PACE: Pace = { silenceMs: [200, 3_000], longSilenceMs: [14_000, 19_000], longChance: 0.06 };

const { only } = values;
const isDrill = (name: string): name is Drill => name in DRILLS;
if (only !== undefined && !isDrill(only))
  throw new Error(`--only takes one of ${Object.keys(DRILLS).join(', ')}`);

await buildPage();
await buildWorker();
await buildAgent();
console.log(`seed ${values.seed}`);
const report = await runChaos({
  seed: Number(values.seed),
  faults: Number(values.faults),
  clients: Number(values.clients),
  commands: Number(values.commands),
  withPage: !values['no-page'],
  pace: PACE,
  only,
  log: (line) => console.log(line),
});
const text = renderChaos(report);
console.log(text);
if (values.report !== undefined) writeFileSync(values.report, text);
if (report.violations.length > 0) {
  console.error(`seed ${report.seed}, what happened:\n${report.story.join('\n')}`);
  process.exitCode = 1;
}
// Playwright and Miniflare may leave handles behind after a failure; the verdict is out.
process.exit();

/** `npx node bench/simulation/run.ts`: regenerates the figures of docs/evidence/scale.md. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { renderChart } from '../report/chart.ts';
import { FULL_SIZES, scaleFigures } from './figures.ts';
import { replaceFigures } from './scale-document.ts';

const DOCUMENT = new URL('../../docs/evidence/scale.md', import.meta.url);
const CHARTS = new URL('../../docs/evidence/charts/', import.meta.url);

const figures = scaleFigures(FULL_SIZES);
await writeFile(DOCUMENT, replaceFigures(await readFile(DOCUMENT, 'utf8'), figures));
await mkdir(CHARTS, { recursive: true });
for (const chart of figures.charts) await writeFile(new URL(`${chart.name}.svg`, CHARTS), renderChart(chart));

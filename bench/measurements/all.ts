/** Every measurement, by the name it is chosen with, in the order of the report. */
import type { Effort } from '../effort.ts';
import type { Section } from '../report/section.ts';
import { echo } from './echo.ts';
import { memory } from './memory.ts';
import { throughput } from './throughput.ts';

export const MEASUREMENTS: Readonly<Record<string, (effort: Effort) => Promise<Section>>> = {
  throughput,
  echo,
  memory,
};

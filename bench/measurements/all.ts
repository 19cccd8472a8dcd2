/** Every measurement, by the name it is chosen with, in the order of the report. */
import type { Effort } from '../effort.ts';
import type { Section } from '../report/section.ts';
import { agentAlone } from './agent-alone.ts';
import { besideFloods } from './beside-floods.ts';
import { ctrlC } from './ctrl-c.ts';
import { distance } from './distance.ts';
import { echo } from './echo.ts';
import { fanOut } from './fan-out.ts';
import { growth } from './growth.ts';
import { keeper } from './keeper.ts';
import { memory } from './memory.ts';
import { page } from './page.ts';
import { reattach } from './reattach.ts';
import { sustained } from './sustained.ts';
import { throughput } from './throughput.ts';
import { typingCost } from './typing-cost.ts';

export const MEASUREMENTS: Readonly<Record<string, (effort: Effort) => Promise<Section>>> = {
  throughput,
  echo,
  keeper,
  agent: agentAlone,
  'ctrl-c': ctrlC,
  distance,
  reattach,
  'beside-floods': besideFloods,
  'typing-cost': typingCost,
  'fan-out': fanOut,
  growth,
  sustained,
  memory,
  page,
};

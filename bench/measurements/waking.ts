/** The delay for a user when the object was asleep. */
import { setTimeout as pause } from 'node:timers/promises';
import { Holdfast } from '../contenders/holdfast.ts';
import { quantile } from '../measuring/statistics.ts';
import { echoing, typeKeys } from './echo.ts';

/** The first key after the object was put to sleep, compared with keys that find it awake. */
export async function measureWake(rounds: number): Promise<{ awake: number[]; asleep: number[] }> {
  await using holdfast = await Holdfast.start({ evictable: true });
  const terminal = await holdfast.open(echoing);
  await terminal.printed('ready');
  const samples = { awake: [] as number[], asleep: [] as number[] };
  for (let round = 0; round < rounds * 3; round++) {
    samples.awake.push(quantile(await typeKeys(terminal, 20), 0.5));
    await pause(100);
    await holdfast.relay.evict('hibernate');
    samples.asleep.push(...(await typeKeys(terminal, 1)));
  }
  return samples;
}

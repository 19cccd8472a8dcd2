/** How long a new client waits for the first prompt. */
import { setTimeout as pause } from 'node:timers/promises';
import type { ContenderName } from '../contenders/contender.ts';
import { Holdfast } from '../contenders/holdfast.ts';
import { startable, startContender } from '../contenders/start.ts';
import { interactive, PROMPT } from '../contenders/terminal.ts';

export async function measurePrompts(rounds: number): Promise<Map<ContenderName, number[]>> {
  const samples = new Map<ContenderName, number[]>();
  for (const name of startable(['pty', 'switch', 'holdfast', 'ttyd', 'ttyd+tmux'])) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      await using contender = await startContender(name);
      // Waits until everything that exists before the client connects is ready.
      if (contender instanceof Holdfast) (await contender.newClient())[Symbol.dispose]();
      await pause(300);
      const startedAt = performance.now();
      await (await contender.open(interactive())).printed(PROMPT);
      times.push(performance.now() - startedAt);
    }
    samples.set(name, times);
  }
  return samples;
}

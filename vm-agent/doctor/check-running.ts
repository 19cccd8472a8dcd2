/** Asks the agent that runs here whether its keeper has started it with less. Only one with a health port can be asked. */
import type { AgentConfig } from '../settings/config.ts';
import { type Finding, warn } from './finding.ts';
import { readAnswer } from './read-answer.ts';

/** It is on this machine. */
const ANSWER_WITHIN_MS = 1_000;

/** Empty if nothing is to be said. Another program may listen there: its answer is printed as text, or ignored. */
export async function checkRunning({ healthPort }: Pick<AgentConfig, 'healthPort'>): Promise<Finding[]> {
  if (healthPort === 0) return [];
  const trouble = await troubleAt(healthPort);
  if (typeof trouble !== 'string') return [];
  return [warn('running agent', `${trouble} Reload it once the reason is gone (\`holdfast agent reload\`).`)];
}

async function troubleAt(port: number): Promise<unknown> {
  try {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const answer = await readAnswer(
      await fetch(`http://127.0.0.1:${port}/health`, { signal, redirect: 'error' }),
    );
    return (answer as { trouble?: unknown } | null)?.trouble;
  } catch {
    return undefined; // none runs, or it is something else
  }
}

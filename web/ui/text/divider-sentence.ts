/** The text of the divider between the output of a session that is gone and the shell that replaced it. */
import { since } from './since.ts';

export function dividerSentence(hasAgentRestarted: boolean, now: Date): string {
  const what = hasAgentRestarted ? 'agent restarted' : 'shell ended';
  return `${since(now.toISOString(), now)} · ${what} · new shell below`;
}

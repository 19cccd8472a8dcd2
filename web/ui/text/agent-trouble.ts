/** Says why an agent was started with less. The sentence comes from the agent, which may be anybody's. */
import { TROUBLE_MAX_CHARS } from '../../../protocol/limits.ts';
import { printable } from '../../../protocol/printable.ts';

interface Told {
  readonly state: 'online' | 'offline';
  readonly trouble?: string | null | undefined;
}

/** Empty if there is nothing to say. */
export function agentTrouble({ state, trouble }: Told): string {
  const told = state === 'online' ? printable(trouble ?? '', TROUBLE_MAX_CHARS) : '';
  return told === '' ? '' : `${told} Programs keep running.`;
}

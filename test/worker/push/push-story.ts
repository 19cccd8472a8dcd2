/** What the stories about pushes share: a machine whose sessions want attention. */
import { expect } from 'vitest';
import type { Attention } from '../../../protocol/messages/attention.ts';
import { connectAgent } from '../../support/relay-story.ts';
import type { ScriptedPeer } from '../../support/scripted-peer.ts';
import { sessionInfo } from '../../support/scripted-session.ts';
import type { TestRelay } from '../../support/test-relay.ts';

export const AT = '2026-11-18T09:00:00.000Z';
/** The time `seconds` later. */
export const later = (seconds: number) => new Date(Date.parse(AT) + seconds * 1000).toISOString();

export const attention = (changes: Partial<Attention> = {}): Attention => ({
  state: 'asks',
  text: 'May I?',
  at: AT,
  offset: 7,
  ...changes,
});

export const IDS = ['s1', 's2', 's3'];

/** Its sessions are s1 to s3, and want nothing. */
export const connectMachine = (relay: TestRelay) =>
  connectAgent(relay, { sessions: IDS.map((id) => sessionInfo(id)) });

export function wants(agent: ScriptedPeer, id: string, changes: Partial<Attention> = {}, name = id): void {
  agent.send({ type: 'session_changed', session: sessionInfo(id, { name, attention: attention(changes) }) });
}

/** Somebody has looked. */
export function wantsNothing(agent: ScriptedPeer, id: string): void {
  agent.send({ type: 'session_changed', session: sessionInfo(id) });
}

/** The relay has read everything that the agent sent. */
export async function settled(agent: ScriptedPeer): Promise<void> {
  await agent.pong();
}

/** Shorter than an agent may be silent. */
const STEP_MS = 20_000;

/** Time passes for the relay, while the agent goes on. */
export async function passes(relay: TestRelay, agent: ScriptedPeer, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= STEP_MS) {
    await relay.advance(Math.min(left, STEP_MS));
    await settled(agent);
  }
}

/** What the relay has counted. */
export async function pushFigures(relay: TestRelay): Promise<Record<string, number>> {
  const [rows = []] = await relay.sql("SELECT name, value FROM facts WHERE name LIKE 'push%'");
  return Object.fromEntries(rows.map(({ name, value }) => [String(name), Number(value)]));
}

/** So many pushes were answered. One that is on its way when time jumps would be given up. */
export async function answered(relay: TestRelay, count: number): Promise<void> {
  await expect.poll(() => pushFigures(relay)).toMatchObject({ push_sent: count });
}

export async function subscriptionCount(relay: TestRelay): Promise<number> {
  const [[row] = []] = await relay.sql('SELECT count(*) AS n FROM push_subscriptions');
  return Number(row?.n);
}

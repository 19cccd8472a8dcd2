/** What the owner's page says of a machine. */
import type { FleetMachine } from '../../../protocol/owner-answers.ts';
import { since } from '../text/since.ts';

export function stateLine({ state, since: began, lastSeen }: FleetMachine, now: Date): string {
  if (state === 'unknown') return 'Has not connected yet';
  if (state === 'online') return began === null ? 'Online' : `Online since ${since(began, now)}`;
  const seen = lastSeen ?? began;
  return seen === null ? 'Offline' : `Offline, last seen ${since(seen, now)}`;
}

const WANTING = { asks: 'asks', failed: 'has failed', done: 'is done' } as const;
const WANTING_MORE = { asks: 'one asks', failed: 'one has failed', done: 'done' } as const;

/** Null while no session wants any. */
export function attentionLine({ attention }: FleetMachine): string | null {
  if (attention === null) return null;
  const { state, count } = attention;
  return count === 1
    ? `1 session ${WANTING[state]}`
    : `${count} sessions want attention: ${WANTING_MORE[state]}`;
}

/** What is known beside its state, such as `3 sessions · Agent 0.1.0 · Joined 3 Nov, 14:02`. */
export function factsLine({ state, sessions, version, joinedAt, origin }: FleetMachine, now: Date): string {
  const facts = [
    ...(state === 'unknown' ? [] : [sessions === 1 ? '1 session' : `${sessions} sessions`]),
    ...(version === null ? [] : [`Agent ${version}`]),
    ...(joinedAt === null ? [] : [`Joined ${since(joinedAt, now)}`]),
    ...(origin === 'token' ? ['Connected with a token'] : []),
  ];
  return facts.join(' · ');
}

/** Whether all words of `text` are in its names. */
export function matches({ name, displayName }: FleetMachine, text: string): boolean {
  const names = `${displayName ?? ''} ${name}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => names.includes(word));
}

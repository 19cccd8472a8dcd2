/** What the page says of share links. */
import { printable } from '../../../protocol/printable.ts';
import type { SharedLink } from '../../../protocol/share-link.ts';

export const LIFETIMES = {
  3600: '1 hour',
  86400: '1 day',
  604800: '7 days',
  2592000: '30 days',
} as const;
export type LifetimeSeconds = keyof typeof LIFETIMES;

/** `name`: of the only session that it shows; undefined if there is none with its id, null if names are not known. */
export function linkFacts(link: SharedLink, name: string | undefined | null, now: number): readonly string[] {
  return [
    link.session === null ? 'All sessions' : sessionText(name),
    link.role === 'viewer' ? 'view only' : 'can type',
    `made by ${printable(link.madeBy)}`,
    `expires in ${durationText(Date.parse(link.expiresAt) - now)}`,
    usedText(link, now),
  ];
}

function sessionText(name: string | undefined | null): string {
  return name === null ? 'One session' : printable(name ?? 'A session that has ended');
}

function usedText({ lastUsedAt, uses }: SharedLink, now: number): string {
  if (lastUsedAt === null) return 'never used';
  const ago = `last ${durationText(now - Date.parse(lastUsedAt))} ago`;
  return uses === 1 ? `used once, ${ago}` : `used ${uses} times, ${ago}`;
}

/** Rounded to its largest unit. */
export function durationText(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000));
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  if (hours < 48) return `${hours} h`;
  return `${Math.round(hours / 24)} days`;
}

/** Sentences about who else is in a session. Names come from tokens of others and are made printable here. */
import type { Person } from '../../../protocol/messages/people.ts';
import { printable } from '../../../protocol/printable.ts';

/** "Anna, Bob (viewer)". */
export function namesText(people: readonly Person[]): string {
  return people.map(nameText).join(', ');
}

function nameText({ name, role, you }: Person): string {
  if (you === true) return 'you';
  const shown = printable(name);
  return role === 'viewer' && !shown.startsWith(role) ? `${shown} (viewer)` : shown;
}

/** "Also here: Anna, Bob (viewer)"; empty if nobody else is. */
export function alsoHereText(people: readonly Person[]): string {
  const others = people.filter(({ you }) => you !== true);
  return others.length === 0 ? '' : `Also here: ${namesText(others)}`;
}

/** Whose window the terminal has its size of. */
export function sizedForText(people: readonly Person[]): string {
  const driver = people.find(({ driving }) => driving === true);
  if (driver === undefined) return 'Sized for another window';
  if (driver.you === true) return 'Sized for another window of yours';
  const name = printable(driver.name);
  return NAMELESS.test(name) ? 'Sized for another window' : `Sized for ${name}’s window`;
}

/** What somebody is called whose token has no name. */
const NAMELESS = /^(operator|viewer)( \d+)?$/;

/** What fits into a small circle: two letters of one person, or how many there are. */
export function badgeText(people: readonly Person[]): string {
  const others = people.filter(({ you }) => you !== true);
  const [only] = others;
  if (only === undefined) return '';
  return others.length === 1 ? initials(printable(only.name)) : String(others.length);
}

/** The first letters of the first two words. */
function initials(name: string): string {
  const words = name.split(/[\s._@-]+/).filter((word) => word !== '');
  const letters = words.slice(0, 2).map((word) => Array.from(word)[0] ?? '');
  return letters.join('').toLocaleUpperCase() || '?';
}

/** What a tab says: what runs in it, or what it is called. Its accessible name is always what it is called. [U12] */

import type { SessionDescription } from '../../../client/attached-session.ts';
import { printable } from '../../../protocol/printable.ts';
import { runningProgram } from './shells.ts';

/** Names that the agent gives to sessions without one: they tell sessions apart, and say nothing else. */
const DEFAULT_NAME = /^Terminal \d+$/;

/** What runs: the title its program has set, or the program; empty for a shell that waits and has set none. */
export function runningText(description: SessionDescription | null): string {
  if (description === null) return '';
  return printable(description.title ?? '') || printable(runningProgram(description.foreground) ?? '');
}

/** A name that a person chose stays, with what runs behind it. */
export function tabLabel(name: string, running: string): string {
  if (running === '' || running === name) return name;
  return DEFAULT_NAME.test(name) ? running : `${name} · ${running}`;
}

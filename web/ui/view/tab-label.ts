/** The label of a tab: the running program or the tab's name. The accessible name is always the tab's name. [U12] */

import type { SessionDescription } from '../../../client/attached-session.ts';
import { printable } from '../../../protocol/printable.ts';
import { runningProgram } from './shells.ts';

/** Names that the agent gives to unnamed sessions. They only tell sessions apart. */
const DEFAULT_NAME = /^Terminal \d+$/;

/** What is running: the title set by the program, or its name. Empty for a waiting shell that has set no title. */
export function runningText(description: SessionDescription | null): string {
  if (description === null) return '';
  return printable(description.title ?? '') || printable(runningProgram(description.foreground) ?? '');
}

/** A name chosen by the user stays, followed by the running program. */
export function tabLabel(name: string, running: string): string {
  if (running === '' || running === name) return name;
  return DEFAULT_NAME.test(name) ? running : `${name} · ${running}`;
}

/** The text for one session in the sessions panel. */

import { PATH_MAX_CHARS } from '../../../protocol/limits.ts';
import type { Person } from '../../../protocol/messages/people.ts';
import type { SessionInfo } from '../../../protocol/messages/session-info.ts';
import { printable } from '../../../protocol/printable.ts';
import { countdownText, durationText } from '../text/amounts.ts';
import { attentionLine } from '../text/attention-text.ts';
import { exitSentence } from '../text/exit-sentence.ts';
import { namesText } from '../text/people-text.ts';
import { since } from '../text/since.ts';
import { runningProgram } from './shells.ts';

export interface SessionRow {
  readonly id: string;
  readonly name: string;
  readonly status: SessionInfo['status'];
  /** What is running: the program's title, its name, or the shell's name. */
  readonly what: string;
  readonly where: string;
  readonly age: string;
  /** Who is watching, or since when nobody is. */
  readonly watched: string;
  /** Who looks at it, by name; empty if nobody does. */
  readonly people: string;
  /** Who typed last and when, according to the relay; empty when nobody has. */
  readonly typed: string;
  readonly wants: 'asks' | 'failed' | 'done' | null;
  /** Why it wants attention, and since when; empty if it wants none. */
  readonly attention: string;
  /** When the session ends because it is orphaned; empty when it does not. */
  readonly expires: string;
}

export interface RowContext {
  readonly now: Date;
  /** How long the agent keeps a session without clients; absent: for ever. */
  readonly graceMs: number | undefined;
  /** The sessions open in this window. */
  readonly own: ReadonlySet<string>;
  /** Who looks at the session. */
  readonly people: readonly Person[];
}

export function sessionRow(session: SessionInfo, { graceMs, now, own, people }: RowContext): SessionRow {
  return {
    id: session.id,
    name: printable(session.name),
    status: session.status,
    what: printable(whatOf(session)),
    where: printable(session.cwd ?? '', PATH_MAX_CHARS),
    age: durationText(Math.max(1000, now.getTime() - Date.parse(session.createdAt))), // at least 1 s
    watched: watchedText(session, own.has(session.id), now),
    people: people.length === 0 ? '' : `Here: ${namesText(people)}`,
    typed: typedText(session, now),
    wants: session.attention?.state ?? null,
    attention: session.attention === undefined ? '' : attentionLine(session.attention, now),
    expires: expiryText(session, graceMs, now),
  };
}

function whatOf({ exitCode, foreground, signal, status, title }: SessionInfo): string {
  if (status === 'exited') return exitSentence(exitCode, signal);
  return title || (runningProgram(foreground) ?? foreground ?? '');
}

function watchedText({ attached, orphanedSince, status }: SessionInfo, isOwn: boolean, now: Date): string {
  if (status !== 'running') return '';
  if (orphanedSince !== null && !isOwn) return `no viewers since ${since(orphanedSince, now)}`;
  const others = attached - Number(isOwn);
  if (others <= 0) return isOwn ? 'open in this window' : 'no viewers';
  if (isOwn) return `open in this window and ${others} ${others === 1 ? 'other' : 'others'}`;
  return others === 1 ? 'open in 1 window' : `open in ${others} windows`;
}

function typedText({ typedAt, typedBy }: SessionInfo, now: Date): string {
  return typedBy === undefined || typedAt === undefined
    ? ''
    : `Last input: ${typedBy} · ${since(typedAt, now)}`;
}

function expiryText(session: SessionInfo, agentGraceMs: number | undefined, now: Date): string {
  const { orphanedSince, status, graceMs = agentGraceMs } = session;
  if (status !== 'running' || orphanedSince === null || graceMs === undefined) return '';
  const leftMs = Date.parse(orphanedSince) + graceMs - now.getTime();
  return leftMs > 0 ? `ends in ${countdownText(leftMs)}` : 'ends soon';
}

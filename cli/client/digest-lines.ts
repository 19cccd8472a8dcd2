/** Writes what happened in each session, for somebody who was away. All text in it comes from others. */
import { ATTENTION_TEXT_MAX_CHARS } from '../../protocol/limits.ts';
import type { Attention } from '../../protocol/messages/attention.ts';
import type { SessionCommand } from '../../protocol/messages/command-info.ts';
import type { SessionDigest } from '../../protocol/messages/digest.ts';
import { printable } from '../../protocol/printable.ts';
import { momentText, printedAmount } from './amounts.ts';
import { duration } from './command-table.ts';

/** Longer command lines are cut, so that each fits a row. */
const LINE_MAX_CHARS = 60;

/** "build: 3 commands finished, 1 failed · 2.1 MB printed · asks since 14:02", and a line for each command to look at. */
export function digestLines(sessions: readonly SessionDigest[], now: Date): string {
  return sessions.flatMap((session) => [headOf(session, now), ...session.commands.map(commandOf)]).join('\n');
}

function headOf({ name, session, finished, failed, printedBytes, attention }: SessionDigest, now: Date) {
  const commands = `${finished} ${finished === 1 ? 'command' : 'commands'} finished${failed > 0 ? `, ${failed} failed` : ''}`;
  const parts = [
    ...(finished > 0 ? [commands] : []),
    ...(printedBytes > 0 ? [`${printedAmount(printedBytes)} printed`] : []),
    ...(attention === undefined ? [] : [attentionCell(attention, now)]),
  ];
  return `${printable(name) || printable(session)}: ${parts.join(' · ')}`;
}

/** "asks since 14:02: Allow this?"; with "seems to ask" for a guess. */
export function attentionCell({ state, text, at, guessed }: Attention, now: Date): string {
  const what = state === 'asks' && guessed ? 'seems to ask' : state;
  const said = printable(text, ATTENTION_TEXT_MAX_CHARS);
  return `${what} since ${momentText(at, now)}${said === '' ? '' : `: ${said}`}`;
}

function commandOf({ commandLine, exitCode, durationMs }: SessionCommand): string {
  const line = printable((commandLine ?? '').replaceAll(/\s+/g, ' '), LINE_MAX_CHARS) || 'a command';
  const how = [
    exitCode === null ? 'exit code unknown' : `exit ${exitCode}`,
    ...(durationMs === null ? [] : [duration(durationMs)]),
  ];
  return `  ${line} (${how.join(', ')})`;
}

/** What happened in a session while somebody was away, in words. */
import type { Attention } from '../../../protocol/messages/attention.ts';
import type { SessionCommand } from '../../../protocol/messages/command-info.ts';
import type { SessionDigest } from '../../../protocol/messages/digest.ts';
import { printable } from '../../../protocol/printable.ts';
import { bytesText, durationText } from './amounts.ts';
import { attentionText } from './attention-text.ts';
import { since } from './since.ts';

/** Less is the prompt that a shell draws anew. */
const PRINTED_MIN_BYTES = 1000;

/** Whether it is worth telling. */
export function isNews({ finished, printedBytes, attention }: SessionDigest): boolean {
  return finished > 0 || printedBytes >= PRINTED_MIN_BYTES || attention !== undefined;
}

/** For example `3 commands finished, 1 failed`; empty if none did. */
export function countsText({ finished, failed }: Pick<SessionDigest, 'finished' | 'failed'>): string {
  if (finished === 0) return '';
  const all = `${finished} ${finished === 1 ? 'command' : 'commands'} finished`;
  return failed === 0 ? all : `${all}, ${failed} failed`;
}

/** What else there is, for example `2.1 MB printed · asks since 14:02: May I?`. */
export function restText({ commands, printedBytes, attention }: SessionDigest, now: Date): string {
  const parts = [
    printedBytes >= PRINTED_MIN_BYTES ? `${bytesText(printedBytes)} printed` : '',
    // What has failed or is done is usually one of the commands that are named.
    attention === undefined || (attention.state !== 'asks' && commands.length > 0)
      ? ''
      : wantText(attention, now),
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

function wantText(attention: Attention, now: Date): string {
  const text = attentionText(attention);
  return attention.state === 'asks' ? `asks since ${since(attention.at, now)}: ${text}` : text;
}

export function commandText({ commandLine }: Pick<SessionCommand, 'commandLine'>): string {
  return printable(commandLine ?? '') || 'Command';
}

/** For example `exit 1, 4 min`. */
export function endText({ exitCode, durationMs }: SessionCommand): string {
  const parts = [
    exitCode === null ? '' : `exit ${exitCode}`,
    durationMs === null || durationMs < 1000 ? '' : durationText(durationMs),
  ];
  return parts.filter((part) => part !== '').join(', ');
}

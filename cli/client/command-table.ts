/** Formats the commands of a session as a table. */
import { COMMAND_LINE_MAX_CHARS } from '../../protocol/limits.ts';
import type { SessionCommand } from '../../protocol/messages/command-info.ts';
import { printable } from '../../protocol/printable.ts';
import { textTable } from './text-table.ts';

const HEADINGS = ['NUMBER', 'EXIT', 'DURATION', 'COMMAND'];

export function commandTable(commands: readonly SessionCommand[]): string {
  const rows = commands.map(({ number, exitCode, durationMs, commandLine }) => [
    String(number),
    exitCode === null ? '-' : String(exitCode),
    durationMs === null ? '-' : duration(durationMs),
    printable((commandLine ?? '').replaceAll(/\s+/g, ' '), COMMAND_LINE_MAX_CHARS) || '-',
  ]);
  return textTable([HEADINGS, ...rows]);
}

/** In its largest unit, short ones with a decimal. */
export function duration(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.round(ms / 60_000);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

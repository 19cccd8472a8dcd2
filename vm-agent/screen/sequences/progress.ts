/** Parses OSC 9;4, by which a program reports how far its work is: `4 ; state ; percent`. */
import type { SessionProgress } from '../../../protocol/messages/session-info.ts';

/** The states by their number; 0 removes the progress. */
const STATES = ['none', 'running', 'error', 'indeterminate', 'paused'] as const;

/** `payload` is what follows `9;`. Other programs use OSC 9 for notifications; those are no reports. */
const REPORT = /^4;([0-4])(?:;(\d{0,3})(?:;|$)|$)/;

/** Null: there is no progress any more. Undefined: this is no valid report, and changes nothing. */
export function progressOf(payload: string): SessionProgress | null | undefined {
  const [match, digit, percentage = ''] = REPORT.exec(payload) ?? [];
  if (match === undefined) return undefined;
  const state = STATES[Number(digit)];
  if (state === undefined || state === 'none') return null;
  if (state === 'indeterminate') return { state };
  // A program that stopped need not say how far it was; one that works is at the beginning.
  if (percentage === '') return state === 'running' ? { state, percent: 0 } : { state };
  return { state, percent: Math.min(100, Number(percentage)) };
}

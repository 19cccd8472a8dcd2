/** Why a session wants attention, in words. */
import { ATTENTION_TEXT_MAX_CHARS } from '../../../protocol/limits.ts';
import type { Attention } from '../../../protocol/messages/attention.ts';
import { printable } from '../../../protocol/printable.ts';
import { since } from './since.ts';

/** For the mark on a tab, and after the name of a session. */
export const WANTS: Readonly<Record<Attention['state'], string>> = {
  asks: 'wants an answer',
  failed: 'has failed',
  done: 'is done',
};

/** The text, which comes from a program; a bell has none. */
export function attentionText({ state, text }: Pick<Attention, 'state' | 'text'>): string {
  return printable(text, ATTENTION_TEXT_MAX_CHARS) || (state === 'asks' ? 'The bell rang' : '');
}

/** For example `Asks since 14:02: May I?`. What is only guessed is said to be. */
export function attentionLine(attention: Attention, now: Date): string {
  const text = attentionText(attention);
  const time = since(attention.at, now);
  return text === '' ? `${begun(attention)} ${time}` : `${begun(attention)} ${time}: ${text}`;
}

function begun({ state, guessed }: Attention): string {
  if (state === 'done') return 'Done at';
  if (state === 'failed') return 'Failed at';
  return guessed === true ? 'Seems to ask since' : 'Asks since';
}

const ORDER: readonly Attention['state'][] = ['asks', 'failed', 'done'];

/** Those that want attention come first, the most urgent and then the newest before the others. */
export function byAttention(
  one: { readonly attention?: Attention | null | undefined },
  other: { readonly attention?: Attention | null | undefined },
): number {
  const [a, b] = [one.attention ?? null, other.attention ?? null];
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return ORDER.indexOf(a.state) - ORDER.indexOf(b.state) || Date.parse(b.at) - Date.parse(a.at);
}

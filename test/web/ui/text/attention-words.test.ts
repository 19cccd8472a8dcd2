/** Why a session wants attention, and what happened in it, in words. */
import { describe, expect, it } from 'vitest';
import type { Attention } from '../../../../protocol/messages/attention.ts';
import { attentionLine, byAttention } from '../../../../web/ui/text/attention-text.ts';
import { countsText, endText, isNews, restText } from '../../../../web/ui/text/digest-text.ts';

const NOW = new Date(2026, 0, 1, 15, 0);
const at = new Date(2026, 0, 1, 14, 2).toISOString();
const ASKS: Attention = { state: 'asks', text: 'May I?', at, offset: 1 };

describe('[A4] attention', () => {
  it.each<[Partial<Attention>, string]>([
    [{}, 'Asks since 14:02: May I?'],
    [
      { guessed: true, text: 'sudo waits for a password' },
      'Seems to ask since 14:02: sudo waits for a password',
    ],
    [{ text: '' }, 'Asks since 14:02: The bell rang'],
    [{ state: 'failed', text: 'make: exit 2, 4 min' }, 'Failed at 14:02: make: exit 2, 4 min'],
    [{ state: 'done', text: '' }, 'Done at 14:02'],
    [{ text: 'evil\u202etext\x1b[31m' }, 'Asks since 14:02: eviltext[31m'],
  ])('%j is told', (changes, text) => {
    expect(attentionLine({ ...ASKS, ...changes }, NOW)).toBe(text);
  });

  it('puts sessions first, the most urgent and then the newest', () => {
    const session = (name: string, attention?: Attention) => ({ name, attention });
    const later = new Date(2026, 0, 1, 14, 3).toISOString();
    const sorted = [
      session('nothing'),
      session('done', { ...ASKS, state: 'done' }),
      session('asks', ASKS),
      session('failed', { ...ASKS, state: 'failed' }),
      session('asks later', { ...ASKS, at: later }),
      session('nothing either'),
    ].sort(byAttention);
    expect(sorted.map(({ name }) => name)).toEqual([
      'asks later',
      'asks',
      'failed',
      'done',
      'nothing',
      'nothing either',
    ]);
  });
});

describe('[A6] a digest', () => {
  const DIGEST = { session: 's1', name: 'x', finished: 3, failed: 1, commands: [], printedBytes: 2_100_000 };

  it('is told in a line', () => {
    expect(countsText(DIGEST)).toBe('3 commands finished, 1 failed');
    expect(countsText({ finished: 1, failed: 0 })).toBe('1 command finished');
    expect(countsText({ finished: 0, failed: 0 })).toBe('');
    expect(restText({ ...DIGEST, attention: ASKS }, NOW)).toBe('2.1 MB printed · asks since 14:02: May I?');
    const ended = { ...ASKS, state: 'failed' as const, text: 'Ended with exit code 3' };
    expect(restText({ ...DIGEST, printedBytes: 0, attention: ended }, NOW)).toBe('Ended with exit code 3');
    expect(restText({ ...DIGEST, printedBytes: 999 }, NOW)).toBe('');
  });

  it('says how a command ended', () => {
    const command = {
      number: 1,
      commandLine: 'npm test',
      startedAt: at,
      durationMs: 240_000,
      exitCode: 1,
      outputFrom: 0,
      outputTo: 1,
      verified: true,
    };
    expect(endText(command)).toBe('exit 1, 4 min');
    expect(endText({ ...command, durationMs: 999 })).toBe('exit 1');
    expect(endText({ ...command, exitCode: null, durationMs: null })).toBe('');
  });

  it('is worth telling if more happened than a prompt', () => {
    expect(isNews(DIGEST)).toBe(true);
    expect(isNews({ ...DIGEST, finished: 0 })).toBe(true);
    expect(isNews({ ...DIGEST, finished: 0, printedBytes: 999 })).toBe(false);
    expect(isNews({ ...DIGEST, finished: 0, printedBytes: 0, attention: ASKS })).toBe(true);
  });
});

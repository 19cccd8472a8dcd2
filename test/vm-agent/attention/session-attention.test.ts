/** Which of several things a session wants attention for, and when it wants none. */
import { describe, expect, it } from 'vitest';
import { ATTENTION_TEXT_MAX_CHARS } from '../../../protocol/limits.ts';
import { type Noted, SessionAttention } from '../../../vm-agent/attention/session-attention.ts';

const DONE: Noted = { state: 'done', text: 'make: done', offset: 1 };
const FAILED: Noted = { state: 'failed', text: 'make: exit 2', offset: 2 };
const GUESS: Noted = { state: 'asks', text: 'sudo waits', offset: 3, guessed: true };
const BELL: Noted = { state: 'asks', text: '', offset: 4 };
const ASKS: Noted = { state: 'asks', text: 'May I?', offset: 5 };
const AT = new Date('2026-01-02T03:04:05.000Z');

function attention() {
  const changes: (string | null)[] = [];
  const it: SessionAttention = new SessionAttention(null, () => changes.push(it.current?.text ?? null));
  return { attention: it, changes, note: (...noted: Noted[]) => noted.map((each) => it.note(each, AT)) };
}

describe('[A4] [AS6] attention', () => {
  it('is the most urgent', () => {
    const order = [DONE, FAILED, GUESS, BELL, ASKS];
    for (const [i, first] of order.entries()) {
      for (const [j, second] of order.entries()) {
        const { attention: session, note } = attention();
        note(first, second);
        expect(session.current?.text, `${first.text} then ${second.text}`).toBe(
          (j >= i ? second : first).text,
        );
      }
    }
  });

  it('is the newest of equals, with its time and place', () => {
    const { attention: session, changes, note } = attention();
    note(ASKS, { ...ASKS, text: 'And now?', offset: 9 });
    expect(session.current).toEqual({ state: 'asks', text: 'And now?', offset: 9, at: AT.toISOString() });
    expect(changes).toEqual(['May I?', 'And now?']);
  });

  it('does not change when the same is said again', () => {
    const { changes, note } = attention();
    note(ASKS, { ...ASKS, offset: 8 }, ASKS);
    expect(changes).toEqual(['May I?']);
  });

  it('is not noted while a person looks, and is cleared by looking, once', () => {
    const { attention: session, changes, note } = attention();
    note(ASKS);
    session.look(true);
    note(FAILED);
    session.look(true);
    expect([session.current, changes]).toEqual([null, ['May I?', null]]);
    session.look(false);
    note(DONE);
    expect(session.current?.text).toBe('make: done');
  });

  it('is withdrawn if it was a guess, and only then', () => {
    const { attention: session, note } = attention();
    note(GUESS);
    session.withdrawGuess();
    expect(session.current).toBeNull();
    note(ASKS);
    session.withdrawGuess();
    expect(session.current?.text).toBe('May I?');
  });

  it('has a text that can be shown, of bounded length', () => {
    const { attention: session, note } = attention();
    note({ ...ASKS, text: `\x1b[31m\u202e${'x'.repeat(ATTENTION_TEXT_MAX_CHARS + 1)}` });
    expect(session.current?.text).toMatch(/^\[31mx+$/);
    expect(session.current?.text).toHaveLength(ATTENTION_TEXT_MAX_CHARS);
  });
});

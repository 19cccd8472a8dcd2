/** A terminal proves that it reads by an answer that nobody else can give. Uses a real terminal without a screen. */
import { Terminal } from '@xterm/headless';
import { describe, expect, it } from 'vitest';
import { READ_CHECK_EVERY_BYTES } from '../../../../protocol/limits.ts';
import { TerminalReading } from '../../../../worker/api/single-terminal/terminal-reading.ts';

const asked = (random = 0.5) => {
  const reading = new TerminalReading(() => random);
  reading.sent(READ_CHECK_EVERY_BYTES);
  return { reading, question: reading.question() ?? '' };
};

const answerOf = (question: string) =>
  new Promise<string>((resolve) => {
    const terminal = new Terminal();
    terminal.onData(resolve);
    terminal.write(question);
  });

describe('a terminal', () => {
  it('[X4] [RL25] is asked after each mebibyte, once at a time', () => {
    const reading = new TerminalReading(() => 0.5);
    reading.sent(READ_CHECK_EVERY_BYTES - 1);
    expect(reading.question()).toBeNull();
    reading.sent(1);
    expect(reading.question()?.slice(1)).toMatch(/^\[\?\d{7,10}\$p$/);
    reading.sent(READ_CHECK_EVERY_BYTES);
    expect(reading.question()).toBeNull();
  });

  it.each([0, 0.5, 1 - Number.EPSILON])(
    '[X4] [RL25] answers with the requested number (%d), between keys that are passed on',
    async (random) => {
      const { reading, question } = asked(random);
      reading.sent(10);
      const answer = await answerOf(question);
      expect(reading.typed(`ab${answer}c`)).toEqual({ text: 'abc', read: READ_CHECK_EVERY_BYTES });
      reading.sent(READ_CHECK_EVERY_BYTES - 11);
      expect(reading.question(), 'what came after the question is not read yet').toBeNull();
      reading.sent(1);
      expect(reading.question()).not.toBeNull();
    },
  );

  it('[X4] [RL25] proves nothing with another answer, or with the same one again', async () => {
    const { reading, question } = asked();
    expect(reading.typed('\x1b[?1234567;0$y')).toEqual({ text: '\x1b[?1234567;0$y', read: 0 });
    const answer = await answerOf(question);
    expect(reading.typed(answer).read).toBe(READ_CHECK_EVERY_BYTES);
    expect(reading.typed(answer)).toEqual({ text: answer, read: 0 });
  });
});

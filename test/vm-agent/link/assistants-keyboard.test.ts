/** Assistants, people and scripts at one keyboard. */
import { describe, expect, it } from 'vitest';
import { ACTOR_MAX_CHARS, KEYBOARD_HELD_MS } from '../../../protocol/limits.ts';
import { PASTE_END, pasted } from '../../../vm-agent/keyboard/paste-mode.ts';
import { TYPED_AT_ONCE_BYTES } from '../../../vm-agent/keyboard/typist.ts';
import { C, D, Desk, LONG, LONG_TYPED, PERSON, PROMPT, SCRIPT } from './assistant-desk.ts';

describe('[A3] [AS4] two assistants', () => {
  it('do not type at the same time, unless both connections are of one', async () => {
    const desk = new Desk();
    await desk.typesText(1, 'one ', { holder: 'codex' });
    await desk.typesText(2, 'two ');
    await desk.typesText(3, 'three ', { holder: 'codex' });
    expect(desk.pty.typed).toBe('one three ');
    await desk.waits(KEYBOARD_HELD_MS);
    expect(desk.pty.typed).toBe('one three two ');
  });

  it('cannot be the other by a name or a holder that looks like a connection', async () => {
    const desk = new Desk();
    await desk.typesText(1, 'one ');
    await desk.typesText(2, 'two ', { holder: 'connection-1', actor: 'connection 1' });
    expect(desk.pty.typed).toBe('one ');
  });

  it('with texts of several pieces do not mix them, even if both are of one', async () => {
    const desk = new Desk();
    const [a, b] = ['a'.repeat(3000), 'b'.repeat(3000)];
    desk.pty.reads = false;
    await desk.typesText(1, a, { holder: 'codex' });
    await desk.typesText(2, b, { holder: 'codex' });
    while (desk.pty.backlogBytes > 0) {
      desk.pty.readsInput();
      await desk.settle();
    }
    expect(desk.pty.typed).toBe(a + b);
    expect(desk.answers).toEqual(['1 typed', '2 typed']);
  });

  it('have names that people can read', async () => {
    const desk = new Desk();
    await desk.attachesAs(PERSON, 'Ann');
    await desk.typesText(1, 'x', { actor: `\u202e\x1b[31m${'n'.repeat(80)}` });
    // Cut first, and then without what cannot be seen.
    expect(desk.keyboards).toEqual([`assistant [31m${'n'.repeat(ACTOR_MAX_CHARS - 6)}`]);
    desk.drops(1);
    await desk.typesText(2, 'x', { actor: '\u200b' });
    expect(desk.keyboards.at(-1)).toBe('assistant An assistant');
  });
});

describe('[A3] [AS4] a text', () => {
  it('leaves no line open whose prompt comes before it is known that the text was read', async () => {
    const desk = new Desk();
    await desk.prints(C);
    desk.pty.reads = false;
    await desk.typesText(1, 'y\r');
    await desk.prints(`${D}${PROMPT}`);
    desk.pty.reads = true;
    desk.pty.readsInput();
    await desk.settle();
    await desk.waits(200);
    await desk.runs(1);
    expect(desk.pty.typed).toBe(`y\r${pasted('ls')}\r`);
  });

  it('of several pieces leaves its last line open, although a prompt came after its first', async () => {
    const desk = new Desk();
    desk.pty.reads = false;
    await desk.typesText(1, `ls\r${LONG}`);
    await desk.prints(PROMPT);
    while (desk.pty.backlogBytes > 0) {
      desk.pty.readsInput();
      await desk.settle();
    }
    await desk.waits(200);
    await desk.runs(1);
    expect(desk.answers).toEqual(['1 typed', '1 shell_busy']);
  });

  it('is typed once, however often it is asked for', async () => {
    const desk = new Desk();
    await desk.typesText(1, 'y\r');
    await desk.typesText(1, 'y\r');
    await desk.typesText(1, 'n\r');
    expect(desk.pty.typed).toBe('y\r');
    expect(desk.answers).toEqual(['1 typed', '1 typed', '1 input_conflict']);
  });

  it('is pasted if the program knows what that is', async () => {
    const desk = new Desk();
    await desk.typesText(1, 'a\nb', { paste: true });
    await desk.prints('\x1b[?2004l');
    await desk.typesText(1, 'c\nd', { paste: true, act: 'second' });
    expect(desk.pty.typed).toBe(`${pasted('a\nb')}c\nd`);
  });

  it('is not typed later if the program did not read it in time, and goes on if it is asked for again', async () => {
    const desk = new Desk();
    desk.pty.reads = false;
    await desk.typesText(1, LONG);
    await desk.waits(5_000);
    expect(desk.answers).toEqual(['1 input_backlog']);
    desk.pty.readsInput();
    await desk.settle();
    expect([desk.pty.typed.length, desk.pty.backlogBytes]).toEqual([TYPED_AT_ONCE_BYTES, 0]);
    desk.pty.reads = true;
    await desk.typesText(1, LONG);
    expect(desk.pty.typed).toBe(LONG);
    expect(desk.answers).toEqual(['1 input_backlog', '1 typed']);
  });

  it('that was not read is dropped when another assistant types, and its paste is ended', async () => {
    const desk = new Desk();
    desk.pty.reads = false;
    await desk.typesText(1, LONG, { paste: true });
    await desk.waits(5_000 + KEYBOARD_HELD_MS);
    await desk.typesText(2, 'b');
    desk.pty.reads = true;
    desk.pty.readsInput();
    await desk.typesText(1, LONG, { paste: true, holder: 'x' });
    expect(desk.pty.typed).toBe(`${pasted(LONG).slice(0, TYPED_AT_ONCE_BYTES)}${PASTE_END}b`);
  });
});

describe('[A3] [AS4] a person', () => {
  /** An assistant is in the middle of a paste. */
  async function typing() {
    const desk = new Desk();
    const handle = await desk.attachesAs(PERSON, 'Ann');
    desk.pty.reads = false;
    await desk.runs(1, { command: LONG });
    const reads = async () => {
      desk.pty.reads = true;
      desk.pty.readsInput();
      await desk.settle();
    };
    return { desk, handle, reads };
  }
  const HALF = `${LONG_TYPED.slice(0, TYPED_AT_ONCE_BYTES)}${PASTE_END}`;

  it('who types takes the keyboard: the rest is dropped, the paste ended, and both are told', async () => {
    const { desk, handle, reads } = await typing();
    desk.types(PERSON, handle, 0, 'k');
    await reads();
    expect(desk.pty.typed).toBe(`${HALF}k`);
    expect(desk.answers).toEqual(['1 taken_over Ann']);
    expect(desk.keyboards).toEqual(['assistant An assistant', 'person An assistant']);
  });

  it('is not interrupted by the same command again, on any connection', async () => {
    const { desk, handle, reads } = await typing();
    desk.types(PERSON, handle, 0, 'k');
    await reads();
    await desk.runs(1, { command: LONG });
    await desk.runs(2, { command: LONG });
    await desk.runs(3, { act: 'other' });
    await desk.waits(KEYBOARD_HELD_MS);
    await desk.runs(1, { command: LONG, request: 'later' });
    expect(desk.pty.typed).toBe(`${HALF}k`);
    expect(desk.answers).toEqual([
      '1 taken_over Ann',
      '1 taken_over Ann',
      '2 taken_over Ann',
      '3 taken_over',
      '1 taken_over Ann',
    ]);
  });

  it('takes it from an assistant whose connection has ended meanwhile', async () => {
    const { desk, handle, reads } = await typing();
    desk.drops(1);
    desk.types(PERSON, handle, 0, 'k');
    await reads();
    await desk.runs(2, { command: LONG });
    expect(desk.pty.typed).toBe(`${HALF}k`);
    expect(desk.answers).toEqual(['2 taken_over Ann']);
  });

  it('takes it with a button too, and hands it back', async () => {
    const { desk, reads } = await typing();
    await desk.asksAs(PERSON, 'Ann', { type: 'take_keyboard', session: desk.session });
    await reads();
    expect(desk.pty.typed).toBe(HALF);
    await desk.asksAs(PERSON, 'Ann', { type: 'hand_back_keyboard', session: desk.session });
    expect(desk.keyboards).toEqual(['assistant An assistant', 'person An assistant', 'free']);
    // What is left of the line is not to become part of another command.
    await desk.waits(200);
    await desk.runs(2, { act: 'other' });
    expect(desk.answers).toEqual(['1 taken_over Ann', '2 shell_busy']);
  });

  it.each([
    ['the mouse', '\x1b[<35;10;5M'],
    ['the focus', '\x1b[I'],
    ['the size', '\x1b[48;24;80;480;800t'],
  ])('who only moves %s does not take it', async (_, report) => {
    const { desk, handle, reads } = await typing();
    desk.types(PERSON, handle, 0, report);
    await reads();
    expect(desk.answers).toEqual([]);
    expect(desk.keyboards).toEqual(['assistant An assistant']);
    expect(desk.pty.typed.replace(report, '')).toBe(LONG_TYPED);
  });

  it('whose input is sent again does not take it by that', async () => {
    const { desk, handle, reads } = await typing();
    desk.types(PERSON, handle, 0, 'k');
    await reads();
    await desk.asksAs(PERSON, 'Ann', { type: 'hand_back_keyboard', session: desk.session });
    desk.types(PERSON, handle, 0, 'k');
    await desk.prints(PROMPT);
    await desk.waits(200);
    await desk.runs(2, { act: 'other' });
    await desk.prints(C);
    desk.types(PERSON, handle, 0, 'k');
    await desk.settle();
    expect(desk.keyboards.at(-1)).toBe('assistant An assistant');
  });

  it('has a name that people can read, or none', async () => {
    const desk = new Desk();
    const handle = await desk.attachesAs(PERSON, `\x1b]0;${'x'.repeat(200)}\x07`);
    await desk.runs(1);
    await desk.prints(C);
    desk.types(PERSON, handle, 0, 'k');
    await desk.settle();
    const { by = '' } = desk.last('run_state').run;
    expect([by.length, /\p{Cc}/u.test(by)]).toEqual([ACTOR_MAX_CHARS, false]);
  });
});

describe('[A3] [AS4] a script', () => {
  it('is refused while an assistant has the keyboard, and types otherwise', async () => {
    const desk = new Desk();
    const handle = await desk.attachesAs(SCRIPT, 'CI', true);
    desk.types(SCRIPT, handle, 0, 'a');
    await desk.typesText(1, 'b');
    desk.types(SCRIPT, handle, 1, 'c');
    expect(desk.pty.typed).toBe('ab');
    expect(desk.answers).toEqual(['1 typed', `${SCRIPT} keyboard_busy`]);
    await desk.waits(KEYBOARD_HELD_MS);
    desk.types(SCRIPT, handle, 1, 'c');
    expect(desk.pty.typed).toBe('abc');
    expect(desk.keyboards.at(-1)).toBe('free');
  });

  it('does not take the keyboard from a person', async () => {
    const desk = new Desk();
    const [script, person] = [
      await desk.attachesAs(SCRIPT, 'CI', true),
      await desk.attachesAs(PERSON, 'Ann'),
    ];
    await desk.typesText(1, 'b');
    desk.types(PERSON, person, 0, 'k');
    desk.types(SCRIPT, script, 0, 's');
    await desk.settle();
    expect(desk.keyboards.at(-1)).toBe('person An assistant');
    expect(desk.pty.typed).toBe('bks');
  });
});

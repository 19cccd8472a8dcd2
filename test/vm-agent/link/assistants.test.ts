/** Assistants that run commands: each is done once, also over lost connections. */
import { describe, expect, it } from 'vitest';
import { AWAITS_PER_CLIENT_MAX, KEYBOARD_HELD_MS } from '../../../protocol/limits.ts';
import { pasted } from '../../../vm-agent/keyboard/paste-mode.ts';
import { C, D, Desk, LONG, LONG_TYPED, PROMPT } from './assistant-desk.ts';

describe('[A1] [AS1] a command', () => {
  it('is typed and answered with how it ended', async () => {
    const desk = new Desk();
    await desk.runs(1);
    expect(desk.pty.typed).toBe(`${pasted('ls')}\r`);
    await desk.prints(`ls\r\n${C}`);
    expect(desk.answers).toEqual([]);
    await desk.prints(`${D}${PROMPT}`);
    expect(desk.answers).toEqual(['1 done 3']);
    expect(desk.last('run_state')).toMatchObject({
      request: 'r1',
      run: { command: 1, cwd: '/', output: '' },
    });
  });

  it('is typed once and answered twice if it is asked for twice', async () => {
    const desk = new Desk();
    await desk.runs(1);
    await desk.runs(1, { request: 'again' });
    await desk.runs(2);
    await desk.prints(`${C}${D}${PROMPT}`);
    await desk.runs(3);
    expect(desk.pty.typed).toBe(`${pasted('ls')}\r`);
    expect(desk.answers).toEqual(['1 done 3', '1 done 3', '2 done 3', '3 done 3']);
  });

  it('is refused by an agent of another epoch, which cannot know whether it was done before', async () => {
    const desk = new Desk();
    await desk.runs(1, { epoch: 'before' });
    await desk.typesText(2, 'x', { epoch: 'before' });
    expect(desk.answers).toEqual(['1 agent_offline', '2 agent_offline']);
    expect(desk.pty.typed).toBe('');
    await desk.runs(3, { epoch: desk.agent.sessions.epoch });
    expect(desk.pty.typed).toBe(`${pasted('ls')}\r`);
  });

  it('is refused under an act that was another command, before and after that has begun', async () => {
    const desk = new Desk();
    desk.pty.prints(C); // something runs, so that the first one waits
    await desk.prints('\x1b]133;D;0;nonce=ours;n=1\x07');
    await desk.runs(1);
    await desk.runs(2, { command: 'rm' });
    await desk.prints(PROMPT);
    await desk.waits(100);
    await desk.runs(3, { command: 'rm' });
    expect(desk.answers).toEqual(['2 input_conflict', '3 input_conflict']);
    expect(desk.pty.typed).toBe(`${pasted('ls')}\r`);
  });

  it('takes the place of the first request, if that was given up before its prompt came', async () => {
    const desk = new Desk();
    await desk.prints(`${C}\x1b]133;D;0;nonce=ours;n=1\x07`);
    await desk.runs(1, { waitMs: 50 });
    await desk.runs(1, { request: 'again' });
    await desk.waits(100);
    expect(desk.answers).toEqual(['1 shell_busy']);
    await desk.prints(PROMPT);
    await desk.waits(100);
    expect(desk.pty.typed).toBe(`${pasted('ls')}\r`);
    await desk.prints(`${C}${D}${PROMPT}`);
    expect(desk.answers).toEqual(['1 shell_busy', '1 done 3']);
  });

  it('is refused while another runs, with that', async () => {
    const desk = new Desk();
    await desk.prints('\x1b]133;C;nonce=ours;n=1;cmdline_url=make\x07');
    await desk.runs(1);
    expect(desk.last('error')).toMatchObject({ code: 'shell_busy', request: 'r1' });
    expect(desk.last('error').message).toContain('It runs: make');
    expect(desk.pty.typed).toBe('');
  });

  it('is answered with `running` when the time is over', async () => {
    const desk = new Desk();
    await desk.runs(1, { waitMs: 500 });
    await desk.prints(C);
    await desk.waits(500);
    expect(desk.answers).toEqual(['1 running null']);
    expect(desk.last('run_state').run.durationMs).toBeGreaterThanOrEqual(0);
  });

  it('ends with its session', async () => {
    const desk = new Desk();
    await desk.runs(1);
    await desk.prints(C);
    await desk.runs(2, { act: 'queued' });
    desk.pty.exits({ code: 5 });
    await desk.settle();
    await desk.runs(3, { act: 'other' });
    await desk.typesText(4, 'x');
    expect(desk.answers).toEqual(
      ['1 done 5', '2 session_exited', '3 session_exited', '4 session_exited'].sort(),
    );
  });

  it(`is refused while ${AWAITS_PER_CLIENT_MAX} requests of the client wait`, async () => {
    const desk = new Desk();
    for (let i = 0; i < AWAITS_PER_CLIENT_MAX; i++) await desk.runs(1, { request: `${i}` });
    await desk.runs(1, { request: 'ninth' });
    await desk.runs(2);
    expect(desk.answers).toEqual(['1 slow_down']);
    expect(desk.last('error').request).toBe('ninth');
    await desk.prints(`${C}${D}${PROMPT}`);
    expect(desk.answers).toHaveLength(1 + AWAITS_PER_CLIENT_MAX + 1);
    await desk.runs(1, { request: 'tenth' });
    expect(desk.answers.at(-1)).toBe('1 done 3');
  });

  it('that was typed so long ago that nobody knows how it ended is not typed again', async () => {
    const desk = new Desk();
    desk.agent.sessions.find(desk.session).input.accept('act:act', 0, Buffer.from('typed before'));
    await desk.runs(1);
    expect(desk.answers).toEqual(['1 output_gone']);
    expect(desk.pty.typed).toBe('');
  });
});

describe('[A1] [AS1] a lost connection', () => {
  it('of the client: the command goes on, and is answered on the next one', async () => {
    const desk = new Desk();
    await desk.runs(1);
    desk.drops(1);
    await desk.prints(C);
    await desk.runs(2);
    await desk.prints(`${D}${PROMPT}`);
    expect(desk.answers).toEqual(['2 done 3']);
    expect(desk.pty.typed).toBe(`${pasted('ls')}\r`);
  });

  it('of the agent: nothing is answered on the next link that was asked on the one before', async () => {
    const desk = new Desk();
    await desk.runs(1);
    desk.agent.linkLost();
    desk.agent.linkOpened();
    await desk.prints(`${C}${D}${PROMPT}`);
    expect(desk.answers).toEqual([]);
    await desk.runs(1);
    expect(desk.answers).toEqual(['1 done 3']);
  });

  it('while it is typed: it is typed to its end', async () => {
    const desk = new Desk();
    desk.pty.reads = false;
    await desk.runs(1, { command: LONG });
    desk.drops(1);
    await desk.settle();
    while (desk.pty.backlogBytes > 0) desk.pty.readsInput();
    expect(desk.pty.typed).toBe(LONG_TYPED);
  });

  it('leaves the keyboard to others: at once, or after 30 s if a command runs', async () => {
    const desk = new Desk();
    await desk.typesText(1, 'a');
    desk.drops(1);
    await desk.typesText(2, 'b');
    expect(desk.pty.typed).toBe('ab');
    desk.drops(2);
    await desk.prints(PROMPT);
    await desk.waits(200);
    await desk.runs(3);
    await desk.prints(C);
    desk.drops(3);
    await desk.typesText(4, 'c');
    expect(desk.pty.typed).toBe(`ab \x15${pasted('ls')}\r`);
    await desk.waits(KEYBOARD_HELD_MS);
    expect(desk.pty.typed.endsWith('\rc')).toBe(true);
  });

  it('of an assistant that is known by its id: its call ends, and the keyboard is free 30 s later', async () => {
    const desk = new Desk();
    await desk.runs(1, { holder: 'codex' });
    await desk.prints(C);
    desk.drops(1);
    await desk.settle();
    await desk.typesText(2, 'b');
    await desk.waits(KEYBOARD_HELD_MS - 25);
    expect(desk.answers).toEqual([]);
    await desk.waits(25);
    expect(desk.answers).toEqual(['2 typed']);
  });
});

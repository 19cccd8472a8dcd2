/** What a new keeper continues with. keeper.model.test.ts has the same at any point of a story. */
import { describe, expect, it } from 'vitest';
import {
  isCheckLine,
  readTakeOver,
  takeOverOption,
  takeOversIn,
} from '../../../vm-agent/keeper/take-over.ts';
import { upgradeTrouble } from '../../../vm-agent/keeper/upgrade.ts';
import { EndedPty } from '../../../vm-agent/pty/ended-pty.ts';
import type { FakePty } from '../../support/fake-pty.ts';
import { openKeeper } from './scripted-agent.ts';

/** A keeper with one program that has printed, and its agent. */
function started() {
  const story = openKeeper();
  const agent = story.attach();
  agent.spawn(1);
  agent.credit(1, 1000);
  const [pty] = story.ptys as [FakePty];
  pty.prints('before ');
  return { ...story, agent, pty };
}

describe('a new keeper', () => {
  it('[K4] has the programs, their output, sizes and blobs, and reads on', () => {
    const { agent, pty, attach, keeper, upgrade } = started();
    agent.tell({ type: 'resize', handle: 1, size: { cols: 100, rows: 30 } });
    agent.blob(1, 'metadata', Buffer.from('{}'));
    pty.prints('it ');
    keeper.detach();
    pty.prints('was ');
    upgrade();
    pty.prints('replaced');
    const next = attach();
    expect(next.session(1)).toMatchObject({ id: 'id 1', start: 0, end: 22, spec: { size: { cols: 80 } } });
    expect(next.hears()).toEqual(['hello', '1 session', '1 left metadata {}']);
    next.credit(1, 1000);
    expect(next.hears()).toEqual([
      '1 prints 0 before …',
      '1 has 100 columns at 7',
      '1 prints 7 it was replaced.',
    ]);
  });

  it('[K4] types what waited, once, and counts what was written at once as one', () => {
    const { agent, pty, attach, keeper, upgrade } = started();
    agent.type(1, 'w', 0, '> ');
    pty.reads = false;
    agent.type(1, 'x', 0, 'abcd');
    agent.answer(1, '!');
    agent.type(1, 'y', 0, 'ef');
    pty.takesPart(3);
    keeper.detach();
    upgrade();
    const next = attach();
    expect(next.session(1).ledger).toEqual([
      { instance: 'w', accepted: 2, taken: 2 },
      { instance: 'x', accepted: 4, taken: 0 },
      { instance: 'y', accepted: 2, taken: 0 },
    ]);
    next.credit(1, 1000);
    next.hears();
    pty.readsInput();
    expect(pty.typed).toBe('> abcd!ef');
    expect(next.hears()).toEqual(['1 took 4 of x earlier', '1 took 2 of y earlier']);
    // A client that was not told sends it again.
    pty.reads = true;
    next.type(1, 'x', 2, 'cdg');
    expect(pty.typed).toBe('> abcd!efg');
  });

  it('[K4] keeps no more output than the one before would', () => {
    const { agent, pty, attach, keeper, upgrade } = started();
    pty.prints('x'.repeat(293));
    agent.tell({ type: 'retain', handle: 1, offset: 300 });
    keeper.detach();
    upgrade();
    const next = attach();
    expect(next.session(1)).toMatchObject({ start: 200, end: 300 });
    next.credit(1, 1000);
    pty.prints('y'.repeat(100));
    expect(attach().session(1)).toMatchObject({ start: 300, end: 400 });
  });

  it('[K3] [K4] tells how a program ended before and after it took over', () => {
    const { agent, pty, ptys, attach, keeper, upgrade } = started();
    agent.spawn(2);
    keeper.detach();
    pty.exits({ code: 7 });
    upgrade();
    (ptys[1] as FakePty).exits({ code: 8 });
    const next = attach();
    next.credit(1, 1000);
    next.credit(2, 1000);
    expect(next.hears()).toEqual([
      'hello',
      '1 session',
      '2 session',
      '1 prints 0 before .',
      '1 exits 7',
      '2 exits 8',
    ]);
    upgrade();
    const third = attach();
    third.credit(1, 1000);
    expect(third.hears().at(-1)).toBe('1 exits 7');
  });

  it('[K4] goes on ending a program whose session was removed', () => {
    const { agent, pty, clock, attach, keeper, upgrade } = started();
    pty.ignores = ['SIGHUP', 'SIGTERM'];
    agent.tell({ type: 'forget', handle: 1 });
    expect(pty.signals).toEqual(['SIGHUP']);
    keeper.detach();
    expect(upgrade().programs).toEqual([]);
    const next = attach();
    expect(next.hears()).toEqual(['hello']);
    clock.advance(10_000);
    expect(pty.signals).toContain('SIGKILL');
    expect(upgrade().save().programs).toEqual([]);
  });

  it('[K4] has nothing of a session that was removed, once its program has ended', () => {
    const { agent, keeper } = started();
    agent.tell({ type: 'forget', handle: 1 });
    expect(keeper.save().programs).toEqual([]);
  });
});

describe('a program that has ended', () => {
  it('[K4] takes nothing, and is saved as it was', () => {
    const pty = new EndedPty({ pid: 2 ** 22 + 1, bornAt: '5' });
    pty.write();
    expect([pty.backlogBytes, pty.cwd(), pty.foreground()]).toEqual([0, null, null]);
    expect(pty.save()).toEqual({ pid: 2 ** 22 + 1, bornAt: '5', terminal: null, ended: null, waiting: [] });
  });
});

describe('the option of a keeper that takes over', () => {
  it.each([
    [[], null, []],
    [['--workspace', 'a', '--take-over=3'], 3, ['--workspace', 'a']],
    [['--take-over=check'], 'check', []],
    // The agent refuses what it does not know.
    [['--take-over=0'], null, ['--take-over=0']],
    [['--take-over'], null, ['--take-over']],
    [['--take-over=1000000000'], null, ['--take-over=1000000000']],
  ] as const)('[K4] in %j', (args, takeOver, others) => {
    expect(readTakeOver(args)).toEqual({ takeOver, others });
  });

  it('[K4] is seen in a command line, as it is and as a title', () => {
    const line = (how: 'check' | number) => `holdfast keeper\0/opt/keeper.js\0${takeOverOption(how)}\0`;
    expect([
      takeOversIn('holdfast keeper\0'),
      takeOversIn(line(12)),
      takeOversIn('holdfast keeper --take-over=2 '),
    ]).toEqual([0, 12, 2]);
    expect([isCheckLine(line('check')), isCheckLine(line(1)), takeOversIn(line('check'))]).toEqual([
      true,
      false,
      0,
    ]);
  });
});

describe('an upgrade in place', () => {
  it.each([
    ['linux', true, null],
    ['darwin', true, /^A keeper is upgraded in place on Linux only; restart it/],
    [
      'linux',
      false,
      /^Node v\S+ cannot replace a process in place \(22\.15 and 24 can\); restart the keeper/,
    ],
  ])('[K4] on %s, with process.execve: %s', (platform, canExec, trouble) => {
    const found = upgradeTrouble(platform, canExec);
    if (trouble === null) expect(found).toBeNull();
    else expect(found).toMatch(trouble);
  });
});

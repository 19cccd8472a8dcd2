/** The keeper with its programs: starting and ending them, and limits on what it keeps. */
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../protocol/errors.ts';
import { HISTORY_MAX_BYTES, PROGRAMS_MAX } from '../../../vm-agent/keeper/limits.ts';
import type { ToKeeper } from '../../../vm-agent/keeper/messages.ts';
import { FrameReader, WireError } from '../../../vm-agent/keeper/wire.ts';
import { STEP_MS } from '../../../vm-agent/pty/terminate.ts';
import type { FakePty } from '../../support/fake-pty.ts';
import { frameBytes } from './frame-bytes.ts';
import { openKeeper } from './scripted-agent.ts';

describe('a keeper', () => {
  it('[K2] [K4] greets every agent with its version, its epoch, its pid and what went wrong', () => {
    const { attach } = openKeeper();
    const hello = {
      type: 'hello',
      version: 1,
      capabilities: [],
      epoch: 'epoch',
      pid: 42,
      sessions: 0,
      trouble: null,
    };
    const agent = attach();
    expect(agent.messages).toEqual([hello]);
    agent.spawn(1);
    expect(attach('all', 'It crashed.').messages[0]).toEqual({
      ...hello,
      sessions: 1,
      trouble: 'It crashed.',
    });
  });

  it('[M1] keeps no longer history than any agent asks for', () => {
    const { attach, ptys } = openKeeper();
    const agent = attach();
    agent.spawn(1, HISTORY_MAX_BYTES);
    expect(() => agent.spawn(2, HISTORY_MAX_BYTES + 1)).toThrow(WireError);
    expect(() => agent.spawn(2, Number.NaN)).toThrow(WireError);
    expect(ptys.length).toBe(1);
  });

  it('[K1] starts a program once, however often it is asked to', () => {
    const { attach, keeper, ptys } = openKeeper();
    attach().spawn(1);
    keeper.detach();
    const agent = attach();
    agent.spawn(1);
    expect(ptys.length).toBe(1);
    expect(agent.messages.at(-1)).toEqual({ type: 'spawned', handle: 1, pid: 1 });
  });

  it('[K4] tells why a program was not started, and forgets it', () => {
    const { attach, keeper } = openKeeper(() => {
      throw new Refusal('no_pty', 'No terminal is left.');
    });
    const agent = attach();
    agent.spawn(1);
    const why = { type: 'refused', handle: 1, code: 'no_pty', message: 'No terminal is left.' };
    expect(agent.messages.at(-1)).toEqual(why);
    expect(keeper.programs).toEqual([]);
  });

  it('does not hide errors of its own behind a refusal', () => {
    const { attach } = openKeeper(() => {
      throw new TypeError('a bug');
    });
    expect(() => attach().spawn(1)).toThrow('a bug');
  });

  it('[M1] has a limit on programs, which does not concern those it has', () => {
    const { attach, ptys } = openKeeper();
    const agent = attach();
    for (let handle = 1; handle <= PROGRAMS_MAX; handle++) agent.spawn(handle);
    expect(ptys.length).toBe(PROGRAMS_MAX);
    agent.hears();
    agent.spawn(PROGRAMS_MAX + 1);
    agent.spawn(PROGRAMS_MAX);
    expect(agent.hears()).toEqual([`${PROGRAMS_MAX + 1} refused session_limit`, `${PROGRAMS_MAX} spawned`]);
    expect(ptys.length).toBe(PROGRAMS_MAX);
  });

  it('ends a program that is forgotten, and hears no more of it', () => {
    const { attach, clock, keeper, ptys } = openKeeper();
    const agent = attach();
    agent.spawn(1);
    const pty = ptys[0] as FakePty;
    pty.ignores = ['SIGHUP'];
    pty.reads = false;
    agent.credit(1, 4);
    pty.prints('full');
    expect(pty.paused).toBe(true);
    agent.type(1, 'me', 0, 'early');
    agent.spawn(2);
    agent.credit(2, 100);
    agent.hears();
    agent.tell({ type: 'forget', handle: 1 });
    agent.tell({ type: 'forget', handle: 2 });
    ptys[1]?.prints('late');
    // A program that waits is not seen to end.
    expect(pty.paused).toBe(false);
    pty.prints('late');
    pty.readsInput();
    clock.advance(STEP_MS);
    expect(pty.signals).toEqual(['SIGHUP', 'SIGTERM']);
    agent.type(1, 'me', 0, 'late');
    agent.credit(1, 100);
    agent.tell({ type: 'resize', handle: 1, size: { cols: 1, rows: 1 } });
    expect(agent.hears()).toEqual([]);
    expect([keeper.programs.length, pty.typed]).toEqual([0, 'early']);
  });

  it('does not signal what a program has left behind that has ended', async () => {
    const { attach, keeper, ptys } = openKeeper();
    const agent = attach();
    for (const handle of [1, 2]) agent.spawn(handle);
    const signals: string[] = [];
    for (const pty of ptys) {
      pty.exits();
      pty.signal = (name) => signals.push(name) > 0;
    }
    agent.tell({ type: 'forget', handle: 1 });
    await keeper.endAll();
    expect(signals).toEqual([]);
  });

  it('ends all programs at its own end', async () => {
    const { attach, keeper, ptys, clock } = openKeeper();
    const agent = attach();
    for (const handle of [1, 2, 3]) agent.spawn(handle);
    ptys[0]?.exits();
    (ptys[1] as FakePty).ignores = ['SIGHUP', 'SIGTERM'];
    const ended = keeper.endAll();
    for (let step = 0; step < 3; step++) clock.advance(STEP_MS);
    await ended;
    expect(ptys.map(({ signals }) => signals.join(' '))).toEqual(['', 'SIGHUP SIGTERM SIGKILL', 'SIGHUP']);
  });

  it('sends each program its own input', () => {
    const { attach, ptys } = openKeeper();
    const agent = attach();
    agent.spawn(1);
    agent.spawn(2);
    agent.credit(1, 100);
    agent.credit(2, 100);
    agent.hears();
    agent.type(2, 'me', 0, 'two');
    agent.type(1, 'me', 0, 'one');
    ptys[1]?.prints('from two');
    expect(ptys.map(({ typed }) => typed)).toEqual(['one', 'two']);
    expect(agent.hears()).toEqual(['2 took 3 of me', '1 took 3 of me', '2 prints 0 from two.']);
  });

  it('passes on that the agent is ready, and that it has finished', () => {
    const { attach, finished } = openKeeper();
    const agent = attach();
    agent.tell({ type: 'ready' });
    agent.tell({ type: 'finished', code: 7 });
    expect(finished).toEqual([-1, 7]);
  });

  it('[K4] ignores messages of later versions, and refuses frames that no agent sends', () => {
    const { attach, keeper } = openKeeper();
    const agent = attach();
    agent.spawn(1);
    agent.tell({ type: 'later' } as unknown as ToKeeper);
    agent.tell({ type: 'later', handle: 1 } as unknown as ToKeeper);
    const [frame] = new FrameReader().read(frameBytes({ kind: 'taken', handle: 1 }, Buffer.alloc(2)));
    expect(() => keeper.received(frame as NonNullable<typeof frame>)).toThrow(WireError);
  });

  it('tells only the agent that is attached', () => {
    const { attach, keeper } = openKeeper();
    const agent = attach();
    keeper.detach();
    keeper.tell({ type: 'ping' });
    const next = attach();
    keeper.tell({ type: 'ping' });
    expect([agent.heard, next.heard]).toEqual([['hello'], ['hello', 'ping']]);
  });
});

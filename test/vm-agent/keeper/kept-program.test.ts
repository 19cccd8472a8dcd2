/** One program of the keeper, as agents see it: its output, sizes, input and exit. */
import { describe, expect, it } from 'vitest';
import { BACKLOG_MAX_BYTES, OUTPUT_FRAME_MAX_BYTES } from '../../../vm-agent/keeper/limits.ts';
import { WireError } from '../../../vm-agent/keeper/wire.ts';
import type { FakePty } from '../../support/fake-pty.ts';
import { openKeeper } from './scripted-agent.ts';

const wide = { cols: 100, rows: 24 };

/** A program with so much credit. */
function open(credit?: number, historyBytes?: number) {
  const story = openKeeper();
  const agent = story.attach();
  agent.spawn(1, historyBytes);
  if (credit !== undefined) agent.credit(1, credit);
  agent.hears();
  const replace = (start?: Parameters<typeof story.attach>[0]) => {
    story.keeper.detach();
    return story.attach(start);
  };
  return { ...story, agent, replace, pty: story.ptys[0] as FakePty };
}

describe('the output of a kept program', () => {
  it('is read as far as the agent has asked for', () => {
    const { agent, pty } = open();
    expect(pty.paused).toBe(true);
    agent.credit(1, 10);
    expect(pty.paused).toBe(false);
    pty.prints('0123456789');
    expect(pty.paused).toBe(true);
    agent.credit(1, 11);
    expect(pty.paused).toBe(false);
    agent.credit(1, 5);
    expect(pty.paused).toBe(false);
    expect(agent.hears()).toEqual(['1 prints 0 0123456789.']);
  });

  it('is sent as far as the agent has asked for, in order', () => {
    const { agent, pty } = open(3);
    pty.prints('abcdef');
    expect(agent.hears()).toEqual(['1 prints 0 abc…']);
    agent.credit(1, 100);
    pty.prints('gh', false);
    expect(agent.hears()).toEqual(['1 prints 3 def.', '1 prints 6 gh…']);
  });

  it('waits in the log while the socket is full', () => {
    const { agent, keeper, pty } = open(1000);
    agent.isWritable = false;
    pty.prints('abc');
    pty.prints('def');
    expect(agent.hears()).toEqual([]);
    agent.isWritable = true;
    keeper.drained();
    expect(agent.hears()).toEqual(['1 prints 0 abcdef.']);
  });

  it('[K1] that waits is sent before what follows, with its sizes, also if the socket takes it again unsaid', () => {
    const { agent, pty } = open(1000);
    agent.isWritable = false;
    pty.prints('abc');
    agent.isWritable = true;
    pty.prints('def');
    agent.isWritable = false;
    agent.tell({ type: 'resize', handle: 1, size: wide });
    agent.isWritable = true;
    pty.prints('ghi');
    expect(agent.hears()).toEqual(['1 prints 0 abcdef.', '1 has 100 columns at 6', '1 prints 6 ghi.']);
  });

  it('is sent in frames of a limited length', () => {
    const { agent, pty } = open(10_000_000);
    agent.isWritable = false;
    pty.prints('x'.repeat(OUTPUT_FRAME_MAX_BYTES * 2));
    agent.isWritable = true;
    agent.credit(1, 10_000_001);
    const lengths = agent.hears().map((line) => Number(/\((\d+)\)/.exec(line)?.[1]));
    expect(Math.max(...lengths)).toBeLessThanOrEqual(OUTPUT_FRAME_MAX_BYTES);
    expect(agent.output.length).toBe(OUTPUT_FRAME_MAX_BYTES * 2);
  });

  it('is read in pieces as small as the agent wants', () => {
    const { agent, pty, replace } = open(100);
    const wanted: number[] = [];
    pty.readAtMost = (bytes?: number) => void wanted.push(bytes as number);
    agent.tell({ type: 'read_at_most', handle: 1, bytes: 30 });
    pty.prints('x'.repeat(80), true);
    expect(wanted.splice(0)).toEqual([30, 30]);
    const next = replace();
    wanted.length = 0;
    next.credit(1, 2 ** 20);
    expect(wanted).toEqual([OUTPUT_FRAME_MAX_BYTES]);
  });

  it('[K1] is sent again to another agent, once that asks for it', () => {
    const { agent, pty, replace } = open(1000);
    pty.prints('before ');
    const next = replace();
    expect(next.hears()).toEqual(['hello', '1 session']);
    expect(next.session(1)).toMatchObject({ id: 'id 1', pid: 1, start: 0, end: 7, blobs: 0 });
    expect(pty.paused).toBe(true);
    pty.prints('after');
    expect(next.hears()).toEqual([]);
    next.credit(1, 7);
    next.credit(1, 1000);
    expect(next.hears()).toEqual(['1 prints 0 before …', '1 prints 7 after.']);
    expect(agent.hears()).toEqual(['1 prints 0 before .']);
  });

  it('[F30] [K1] is sent from now on to an agent without replay', () => {
    const { agent, pty, replace } = open(1000);
    agent.tell({ type: 'resize', handle: 1, size: wide });
    pty.prints('before ');
    const next = replace('without replay');
    expect(next.session(1)).toMatchObject({ start: 7, end: 7, spec: { size: wide } });
    next.credit(1, 1000);
    pty.prints('after');
    expect(next.hears().slice(2)).toEqual(['1 prints 7 after.']);
    expect(replace().session(1).start).toBe(0);
  });

  it('is kept from where the next agent needs it, and at least the history', () => {
    const { agent, pty, replace } = open(1000, 10);
    pty.prints('x'.repeat(50));
    agent.tell({ type: 'retain', handle: 1, offset: 30 });
    pty.prints('x'.repeat(10));
    agent.tell({ type: 'retain', handle: 1, offset: 20 });
    const second = replace();
    expect(second.session(1)).toMatchObject({ start: 30, end: 60 });
    second.credit(1, 1000);
    second.tell({ type: 'retain', handle: 1, offset: 1000 });
    expect(replace().session(1)).toMatchObject({ start: 50, end: 60 });
  });

  it('[K1] is kept until it was sent, whatever is retained', () => {
    const { agent, pty } = open(20, 10);
    pty.prints('x'.repeat(100));
    agent.tell({ type: 'retain', handle: 1, offset: 100 });
    agent.credit(1, 1000);
    expect(agent.output.length).toBe(100);
  });
});

describe('the sizes of a kept program', () => {
  it('[K1] are told in order with the output, also to another agent', () => {
    const { agent, pty, replace } = open(1000);
    pty.prints('ab');
    agent.tell({ type: 'resize', handle: 1, size: wide });
    pty.prints('cd');
    expect(pty.size).toEqual(wide);
    const next = replace();
    expect(next.session(1).spec.size).toEqual({ cols: 80, rows: 24 });
    next.credit(1, 1000);
    const told = ['1 prints 0 ab', '1 has 100 columns at 2', '1 prints 2 cd.'];
    expect(agent.hears()).toEqual([`${told[0]}.`, ...told.slice(1)]);
    expect(next.hears().slice(2)).toEqual([`${told[0]}…`, ...told.slice(1)]);
  });

  it('[K1] are told once each, the last one of several at the same place', () => {
    const { agent, replace } = open(1000);
    agent.isWritable = false;
    for (const cols of [90, 100, 110]) agent.tell({ type: 'resize', handle: 1, size: { cols, rows: 24 } });
    agent.isWritable = true;
    agent.credit(1, 1001);
    expect(agent.hears()).toEqual(['1 has 110 columns at 0']);
    const next = replace();
    next.credit(1, 1000);
    expect(next.session(1).spec.size.cols).toBe(110);
    expect(next.hears()).toEqual(['hello', '1 session']);
  });

  it('[K3] are told before the exit, and do not change after it', () => {
    const { agent, keeper, pty } = open(1000);
    agent.isWritable = false;
    agent.tell({ type: 'resize', handle: 1, size: wide });
    pty.exits({ code: 0 });
    expect(agent.hears()).toEqual([]);
    agent.isWritable = true;
    keeper.drained();
    agent.tell({ type: 'resize', handle: 1, size: { cols: 1, rows: 1 } });
    expect(agent.hears()).toEqual(['1 has 100 columns at 0', '1 exits 0']);
  });
});

describe('the input of a kept program', () => {
  it('[K1] is typed once, and told when taken', () => {
    const { agent, pty } = open(0);
    agent.type(1, 'me', 0, 'abc');
    agent.type(1, 'me', 1, 'bcd');
    agent.type(1, 'you', 7, 'x');
    expect(pty.typed).toBe('abcdx');
    expect(pty.preferred).toBe(3);
    expect(agent.hears()).toEqual(['1 took 3 of me', '1 took 1 of me', '1 took 1 of you']);
  });

  it('is not accepted with a hole, which no agent leaves', () => {
    const { agent } = open(0);
    agent.type(1, 'me', 0, 'abc');
    expect(() => agent.type(1, 'me', 4, 'e')).toThrow('invariant');
  });

  it('[K2] goes on with the ledger in another agent, which is told of what an earlier one sent', () => {
    const { agent, pty, replace } = open(0);
    agent.type(1, 'me', 0, 'ab');
    agent.tell({ type: 'promise', handle: 1, instance: 'key', once: 'digest' });
    pty.reads = false;
    agent.type(1, 'me', 2, 'cd');
    const next = replace();
    expect(next.session(1).ledger).toEqual([
      { instance: 'key', accepted: 0, taken: 0, once: 'digest' },
      { instance: 'me', accepted: 4, taken: 2 },
    ]);
    next.credit(1, 0);
    next.type(1, 'me', 2, 'cdef');
    pty.readsInput();
    expect(pty.typed).toBe('abcdef');
    expect(next.hears().slice(2)).toEqual(['1 took 2 of me earlier', '1 took 2 of me']);
  });

  it('[K2] that is taken before another agent is ready for the program is told when it is', () => {
    const { agent, pty, replace } = open(0);
    pty.reads = false;
    agent.type(1, 'me', 0, 'ab');
    const next = replace();
    pty.readsInput();
    expect(next.hears()).toEqual(['hello', '1 session']);
    next.credit(1, 0);
    next.credit(1, 1);
    expect(next.hears()).toEqual(['1 took 2 of me earlier']);
  });

  it('[F26] that is taken before an agent is ready, which then ends, is not told twice to the next one', () => {
    const { agent, pty, replace } = open(0);
    pty.reads = false;
    agent.type(1, 'me', 0, 'ab');
    replace();
    pty.readsInput();
    const next = replace();
    expect(next.session(1).ledger).toEqual([{ instance: 'me', accepted: 2, taken: 2 }]);
    next.credit(1, 0);
    expect(next.hears()).toEqual(['hello', '1 session']);
  });

  it('[K2] that is taken between two agents is in the ledger, and is not told again', () => {
    const { agent, keeper, pty, attach } = open(0);
    pty.reads = false;
    agent.type(1, 'me', 0, 'ab');
    keeper.detach();
    pty.readsInput();
    const next = attach();
    expect(next.session(1).ledger).toEqual([{ instance: 'me', accepted: 2, taken: 2 }]);
    next.credit(1, 0);
    expect(next.hears()).toEqual(['hello', '1 session']);
    expect(agent.hears()).toEqual([]);
  });

  it('[M1] that waits has a limit, which no agent of ours reaches, and the next agent knows it', () => {
    const { agent, pty, replace } = open(0);
    pty.reads = false;
    agent.type(1, 'me', 0, 'x'.repeat(BACKLOG_MAX_BYTES));
    agent.type(1, 'me', BACKLOG_MAX_BYTES, 'x');
    expect(() => agent.type(1, 'me', BACKLOG_MAX_BYTES + 1, 'x')).toThrow(WireError);
    expect(replace().session(1).backlogBytes).toBe(BACKLOG_MAX_BYTES + 1);
  });

  it('includes the answers of the terminal, which nobody counts', () => {
    const { agent, pty } = open(0);
    agent.answer(1, '\x1b[0n');
    expect(pty.typed).toBe('\x1b[0n');
    expect(agent.hears()).toEqual([]);
  });
});

describe('the exit of a kept program', () => {
  it('[K3] follows all output, once', () => {
    const { agent, pty } = open(2);
    pty.prints('abcd');
    pty.exits({ code: 3 });
    expect(agent.hears()).toEqual(['1 prints 0 ab…']);
    agent.credit(1, 4);
    agent.credit(1, 9);
    expect(agent.hears()).toEqual(['1 prints 2 cd.', '1 exits 3']);
  });

  it('[K3] is kept with the output while no agent is there, and told to each that comes', () => {
    const { agent, keeper, pty, attach, replace } = open(100);
    keeper.detach();
    pty.prints('last words');
    pty.exits({ signal: 'SIGTERM' });
    for (const come of [attach, replace]) {
      const next = come();
      expect(next.hears()).toEqual(['hello', '1 session']);
      next.credit(1, 100);
      expect(next.hears()).toEqual(['1 prints 0 last words.', '1 exits SIGTERM']);
    }
    expect(agent.hears()).toEqual([]);
  });
});

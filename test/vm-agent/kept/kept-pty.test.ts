/** A program that the keeper owns, as the agent sees it. */
import { describe, expect, it, vi } from 'vitest';
import { Refusal } from '../../../protocol/errors.ts';
import { KeptPty, type StartedProgram } from '../../../vm-agent/kept/kept-pty.ts';

/** How much is asked for at once, and when more is. */
const WINDOW = 256 * 1024;
const HALF = WINDOW / 2;

/** No process has it: Linux allows at most 2^22. */
const NO_PID = 2 ** 22 + 1;

/** `printed`: what the listener does then. */
function open(program?: Partial<StartedProgram>, printed = () => {}) {
  const sent: string[] = [];
  const heard: string[] = [];
  const pty = new KeptPty(
    7,
    {
      keeperPid: 1,
      tell: ({ type, ...message }) => sent.push(`${type} ${JSON.stringify(message)}`),
      input: (handle, { instance, offset }, bytes) =>
        sent.push(`${handle} types ${instance} ${offset} ${Buffer.from(bytes)}`),
      answer: (handle, bytes) => sent.push(`${handle} answers ${Buffer.from(bytes)}`),
      credit: (handle, offset) => sent.push(`${handle} asks for ${offset}`),
      passedOn: () => heard.push('passed on'),
      forgotten: (handle) => sent.push(`${handle} forgotten`),
    },
    {
      output: (bytes, isAll) => {
        heard.push(`${Buffer.from(bytes)}${isAll ? '.' : '…'}`);
        printed();
      },
      resized: ({ cols }) => heard.push(`${cols} columns`),
      tookEarlier: (instance, count) => heard.push(`took ${count} of ${instance} earlier`),
      exited: ({ code }) => heard.push(`exit ${code}`),
    },
    program === undefined
      ? undefined
      : { pid: NO_PID, bornAt: undefined, start: 0, backlogBytes: 0, ...program },
  );
  const hears = () => heard.splice(0).filter((line) => line !== 'passed on');
  return { pty, sent, heard, hears };
}

const size = { cols: 100, rows: 24 };
const released = () => new Promise(setImmediate);

describe('the output of a program that the keeper owns', () => {
  it('[K1] is asked for as it is read: more once half of it has been', () => {
    const { pty, sent } = open();
    expect(sent.splice(0)).toEqual([`7 asks for ${WINDOW}`]);
    pty.printed(Buffer.alloc(HALF - 1), false);
    expect(sent).toEqual([]);
    pty.printed(Buffer.alloc(1), false);
    expect(sent).toEqual([`7 asks for ${HALF + WINDOW}`]);
    expect(pty.end).toBe(HALF);
  });

  it('[K2] of a program that was found is asked for from where it starts', () => {
    const { pty, sent } = open({ start: 5000 });
    expect(sent).toEqual([`7 asks for ${5000 + WINDOW}`]);
    expect([pty.end, pty.pid, pty.starting]).toEqual([5000, NO_PID, null]);
  });

  it('is asked for in smaller steps if it is to be read in smaller pieces', () => {
    const { pty, sent } = open();
    sent.length = 0;
    pty.readAtMost(100);
    pty.readAtMost(100);
    expect(sent.splice(0)).toEqual(['read_at_most {"handle":7,"bytes":100}']);
    pty.printed(Buffer.alloc(WINDOW - 201), false);
    expect(sent).toEqual([]);
    pty.printed(Buffer.alloc(1), false);
    expect(sent).toEqual([`7 asks for ${WINDOW + 200}`]);
  });

  it('is not asked for while the program is paused, but when it goes on', () => {
    const { pty, sent } = open({}, () => pty.pause());
    sent.length = 0;
    pty.printed(Buffer.alloc(HALF), false);
    expect(sent).toEqual([]);
    pty.resume();
    expect(sent).toEqual([`7 asks for ${HALF + WINDOW}`]);
  });

  it('is held while the program is paused, with sizes and the exit, in order', async () => {
    const { pty, sent, hears } = open({});
    sent.length = 0;
    pty.pause();
    const bytes = Buffer.alloc(HALF, 'x');
    pty.printed(bytes, false);
    bytes.fill('y'); // valid during the call only
    pty.resized(size);
    pty.printed(Buffer.from('end'), true);
    pty.exited({ code: 3, signal: null });
    expect([hears(), sent, pty.end]).toEqual([[], [], 0]);
    pty.resume();
    expect(hears()).toEqual([]);
    await released();
    expect(hears()).toEqual([`${'x'.repeat(HALF)}…`, '100 columns', 'end.', 'exit 3']);
    expect(sent).toEqual([`7 asks for ${HALF + WINDOW}`]);
  });

  it('[K1] that comes between a resume and the release of what is held waits for its turn', async () => {
    const { pty, hears } = open({});
    pty.pause();
    pty.printed(Buffer.from('1'), true);
    pty.resume();
    pty.printed(Buffer.from('2'), true);
    pty.resized(size);
    pty.exited({ code: 0, signal: null });
    expect(hears()).toEqual([]);
    await released();
    expect(hears()).toEqual(['1.', '2.', '100 columns', 'exit 0']);
  });

  it('is held again if the program is paused meanwhile', async () => {
    const { pty, hears } = open({});
    pty.pause();
    pty.printed(Buffer.from('1'), true);
    pty.resume();
    pty.pause();
    await released();
    expect(hears()).toEqual([]);
    pty.resume();
    await released();
    expect(hears()).toEqual(['1.']);
  });

  it('is passed on at once otherwise, and says so when it was', () => {
    const { pty, heard } = open({});
    pty.printed(Buffer.from('1'), true);
    pty.resized(size);
    pty.exited({ code: 0, signal: null });
    expect(heard).toEqual(['1.', 'passed on', '100 columns', 'exit 0']);
  });
});

describe('the input of a program that the keeper owns', () => {
  const write = ({ pty, heard }: ReturnType<typeof open>, text: string, offset: number) =>
    pty.write(Buffer.from(text), () => heard.push(`took ${text}`), { instance: 'me', offset });

  it('[K1] is confirmed write by write, in order, also if it is empty', () => {
    const story = open({});
    write(story, 'ab', 0);
    write(story, '', 2);
    write(story, 'x'.repeat(1000), 2);
    expect(story.sent.slice(1, 3)).toEqual(['7 types me 0 ab', '7 types me 2 ']);
    expect(story.pty.backlogBytes).toBe(256 + 256 + 1000);
    story.pty.took('me', 2, false);
    story.pty.took('me', 0, false);
    expect(story.hears()).toEqual(['took ab', 'took ']);
    expect(story.pty.backlogBytes).toBe(1000);
  });

  it('[K2] of an earlier agent is counted, and confirms none of ours', () => {
    const story = open({});
    write(story, 'ab', 5);
    story.pty.took('me', 5, true);
    expect(story.hears()).toEqual(['took 5 of me earlier']);
    expect(story.pty.backlogBytes).toBe(256);
  });

  it('always belongs to an instance', () => {
    const { pty } = open({});
    expect(() => pty.write(Buffer.from('x'), () => {})).toThrow('invariant');
  });

  it('is dropped once the program has ended', () => {
    const story = open({});
    story.pty.pause();
    story.pty.exited({ code: 0, signal: null });
    write(story, 'late', 0);
    expect([story.sent.length, story.pty.backlogBytes]).toEqual([1, 0]);
  });

  it('is sent with answers, promises and sizes', () => {
    const { pty, sent } = open({});
    pty.answer(Buffer.from('?'));
    pty.promise('me', 'digest');
    pty.resize(size);
    pty.forget();
    expect(sent.slice(1)).toEqual([
      '7 answers ?',
      'promise {"handle":7,"instance":"me","once":"digest"}',
      'resize {"handle":7,"size":{"cols":100,"rows":24}}',
      '7 forgotten',
    ]);
  });
});

describe('the start of a program that the keeper owns', () => {
  it('is waited for', async () => {
    const { pty } = open();
    expect([pty.pid, pty.cwd(), pty.foreground()]).toEqual([0, null, null]);
    pty.spawned(NO_PID, undefined);
    await pty.starting;
    expect(pty.pid).toBe(NO_PID);
  });

  it('[K4] may be refused', async () => {
    const { pty } = open();
    pty.refused(new Refusal('no_pty', 'No terminal is left.'));
    await expect(pty.starting).rejects.toThrow('No terminal is left.');
  });

  it('is followed by the last signal that came before it', () => {
    const { pty } = open();
    expect([pty.signal('SIGHUP'), pty.signal('SIGTERM')]).toEqual([true, true]);
    const sent: unknown[] = [];
    const signal = vi.spyOn(pty, 'signal').mockImplementation((name) => sent.push(name) > 0);
    pty.spawned(NO_PID, undefined);
    signal.mockRestore();
    expect(sent).toEqual(['SIGTERM']);
    // No process has this pid.
    expect(pty.signal('SIGTERM')).toBe(false);
  });
});

describe('input that earlier processes have sent', () => {
  it('counts as waiting until it was taken', () => {
    const { pty, hears } = open({ backlogBytes: 1000 });
    expect(pty.backlogBytes).toBe(1000);
    pty.took('other', 900, true);
    expect(pty.backlogBytes).toBe(100);
    pty.took('other', 1, true);
    expect(pty.backlogBytes).toBe(0);
    expect(hears()).toEqual(['took 900 of other earlier', 'took 1 of other earlier']);
  });
});

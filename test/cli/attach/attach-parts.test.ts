/** The small parts of the client: naming a session, the text of printed output, the status line. */
import { Terminal } from '@xterm/headless';
import { describe, expect, it } from 'vitest';
import { attachStatusOf } from '../../../cli/attach/status.ts';
import { TerminalStatusLine } from '../../../cli/attach/status-line.ts';
import { TtyScreen } from '../../../cli/attach/tty-screen.ts';
import { findSession, onlySession, sessionMeant } from '../../../cli/client/find-session.ts';
import { exitCodeOf } from '../../../cli/client/program-exit.ts';
import { ago, sessionTable } from '../../../cli/client/session-table.ts';
import type { SessionInfo } from '../../../protocol/messages/session-info.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { sessionInfo } from '../../support/scripted-session.ts';

const NOW = new Date('2026-11-16T12:00:00Z');

function session(more: Partial<SessionInfo>): SessionInfo {
  return sessionInfo('abcdefghijklmnopqrstuv', {
    name: 'build',
    cwd: '/srv',
    foreground: 'make',
    createdAt: NOW.toISOString(),
    lastActivityAt: '2026-11-16T11:59:30Z',
    ...more,
  });
}

describe('naming a session', () => {
  const sessions = [
    session({ id: 'aaaa1', name: 'build', status: 'exited' }),
    session({ id: 'aaaa2', name: 'build' }),
    session({ id: 'bbbb3', name: 'aaaa2', key: 'tests' }),
    session({ id: 'cccc4', name: 'twin' }),
    session({ id: 'cccc5', name: 'twin' }),
  ];

  it.each([
    ['aaaa2', 'aaaa2', 'an id before a name'],
    ['tests', 'bbbb3', 'a key'],
    ['build', 'aaaa2', 'the running one of that name'],
    ['bbbb', 'bbbb3', 'the beginning of an id'],
  ])('%s finds %s: %s', (meant, id) => {
    expect(findSession(sessions, meant).id).toBe(id);
  });

  it.each([
    ['twin', /cccc4 \(twin\), cccc5 \(twin\); use an id/],
    ['cccc', /use an id/],
    ['bbb', /^no session "bbb"; `holdfast ls` lists the sessions$/],
  ])('%s matches no single session', (meant, says) => {
    expect(() => findSession(sessions, meant)).toThrow(says);
  });

  it('[RL15] a session that was ended by a rule is reported with the rule, by id and by name; the relay is asked only then', async () => {
    const idle = session({ id: 'dddd6', name: 'night', status: 'exited', endedBy: 'idle' });
    const evicted = session({ id: 'dddd7', name: 'night', status: 'exited', endedBy: 'evicted' });
    const asked: boolean[] = [];
    const client = {
      list: async ({ lostToo = false } = {}) => {
        asked.push(lostToo);
        return lostToo ? [...sessions, idle, evicted] : sessions;
      },
    };
    expect((await sessionMeant(client, 'tests')).id).toBe('bbbb3');
    expect(asked).toEqual([false]);
    const why = (meant: string) => expect(sessionMeant(client, meant)).rejects;
    await why('dddd6').toMatchObject({
      message: expect.stringMatching(/^session "dddd6" was ended: it was idle/),
    });
    await why('night').toThrow(/session "night" was ended: a newer session needed its place; `holdfast ls`/);
    await why('nobody').toThrow(/no session "nobody"/);
  });

  it('may be omitted if only one is running', () => {
    expect(onlySession(sessions.slice(0, 2)).id).toBe('aaaa2');
    expect(() => onlySession(sessions)).toThrow(/several sessions are running; choose one/);
    expect(() => onlySession([])).toThrow(/no session is running/);
  });
});

describe('output for people', () => {
  it('sessions are printed as a table, without control characters of others', () => {
    const rows = [session({ name: 'a\x1b[2Jb' }), session({ status: 'exited', exitCode: 3, cwd: null })];
    expect(sessionTable(rows, NOW)).toBe(
      [
        'ID        NAME   STATUS    CLIENTS  SIZE   RUNS  WHERE  ACTIVE',
        'abcdefgh  a[2Jb  running   0        80x24  make  /srv   30 s ago',
        'abcdefgh  build  exited 3  0        80x24  make  -      30 s ago',
      ].join('\n'),
    );
  });

  it('[J6] say who watches a session, if anybody does', () => {
    const people = [
      { name: 'Anna', role: 'operator' },
      { name: 'B\x1bob', role: 'viewer' },
    ] as const;
    const rows = sessionTable([session({ people: [...people] }), session({})], NOW).split('\n');
    expect(rows.map((row) => row.slice(-10))).toEqual(
      ['WATCHED BY', 'Anna, Bob', '-'].map((end) => expect.stringContaining(end)),
    );
  });

  it.each([
    [5, '5 s'],
    [600, '10 min'],
    [7200, '2 h'],
    [400_000, '4 d'],
  ])('%s s is printed as %s', (seconds, text) => {
    expect(ago(new Date(NOW.getTime() - seconds * 1000), NOW)).toBe(text);
  });

  it('an exit is reported as a shell reports it', () => {
    expect(exitCodeOf({ exitCode: 7, signal: null })).toBe(7);
    for (const exitCode of [256, -1, 0.5, Number.POSITIVE_INFINITY])
      expect(exitCodeOf({ exitCode, signal: null }), `${exitCode} is no exit code`).toBe(1);
    expect(exitCodeOf({ exitCode: null, signal: 'SIGKILL' })).toBe(137);
  });

  const base = { unsentBytes: 0, discardedBytes: 0, trouble: null } as const;
  const agent = { state: 'offline', since: '2026-11-16T11:00:00Z', epoch: null, generation: 1 } as const;
  it.each([
    [{ client: { name: 'connecting' }, session: { name: 'attaching' } }, 'connecting'],
    [
      { client: { name: 'live', agent }, session: { name: 'attaching' } },
      'the machine is offline since 60 min; waiting',
    ],
    [{ client: { name: 'connecting' }, session: { name: 'live' } }, null],
    [
      {
        client: { name: 'connecting' },
        session: { name: 'attaching' },
        trouble: 'It broke.',
        unsentBytes: 1,
        discardedBytes: 9,
      },
      'reconnecting (It broke); 1 byte typed and kept; 9 bytes typed and discarded',
    ],
  ] as const)('%j is printed as %j', (situation, text) => {
    expect(attachStatusOf({ ...base, ...situation }, NOW)).toBe(text);
  });
});

describe('the status line', () => {
  function line(isTerminal: boolean) {
    const clock = new FakeClock();
    const written: string[] = [];
    const output = { isTerminal, size: { cols: 20, rows: 5 }, write: (text: string) => written.push(text) };
    let covers = 0;
    const status = new TerminalStatusLine(output, clock, () => covers++);
    return { clock, written, status, covered: () => covers };
  }

  it('leaves no trace of an interruption shorter than a second', () => {
    const { clock, written, status, covered } = line(true);
    status.tell('reconnecting');
    clock.advance(999);
    status.tell(null);
    clock.advance(10_000);
    expect([written, covered()]).toEqual([[], 0]);
  });

  it('covers the last row during a longer interruption, once, and fits its width', () => {
    const { clock, written, status, covered } = line(true);
    status.tell('reconnecting');
    clock.advance(1_000);
    status.tell('the machine is offline');
    expect(covered()).toBe(1);
    expect(written).toEqual([
      '\x1b7\x1b[?6l\x1b[5;1H\x1b[0;7m\x1b[2K holdfast: reconnect\x1b8',
      '\x1b7\x1b[?6l\x1b[5;1H\x1b[0;7m\x1b[2K holdfast: the machi\x1b8',
    ]);
  });

  it('is printed as lines if stderr is not a terminal', () => {
    const { written, status } = line(false);
    for (const told of ['reconnecting', 'reconnecting', null]) status.tell(told);
    expect(written).toEqual(['holdfast: reconnecting\n', 'holdfast: connected\n']);
  });
});

describe('the terminal of `holdfast attach`', () => {
  it('[RL23] [OU4] reports output as shown only after its window has taken it', () => {
    const taken: (() => void)[] = [];
    const screen = new TtyScreen({
      size: { cols: 80, rows: 24 },
      write: (_text, written) => void (written && taken.push(written)),
    });
    const shown: string[] = [];
    for (const text of ['a', '\x1b]0;not passed on\x07', 'b'])
      screen.write(new TextEncoder().encode(text), () => shown.push(text));
    expect([shown.length, taken.length]).toEqual([0, 3]);
    taken[0]?.();
    expect(shown).toEqual(['a']);
  });

  it.each([
    ['cleared', 'a\x1b[3g'],
    ['set', '\x1b[4G\x1bH'],
  ])('[OU14] has its own tab stops again after a program has %s some', async (_what, output) => {
    // This terminal ignores the sequence that restores all of them at once.
    const own = new Terminal({ cols: 30, rows: 4, allowProposedApi: true });
    const screen = new TtyScreen({ size: { cols: 30, rows: 4 }, write: (text) => own.write(text) });
    const encode = (text: string) => new TextEncoder().encode(text);
    screen.write(encode(output), () => {});
    screen.close();
    const columns: number[] = [];
    for (let tab = 0; tab < 4; tab++) {
      await new Promise<void>((resolve) => own.write('\t', resolve));
      columns.push(own.buffer.active.cursorX);
    }
    expect(columns).toEqual([8, 16, 24, 29]);
  });

  it('[OU14] keeps its tab stops and its cursor if no program has moved any', () => {
    const written: string[] = [];
    const screen = new TtyScreen({ size: { cols: 30, rows: 4 }, write: (text) => written.push(text) });
    screen.write(new TextEncoder().encode('a\tb'), () => {});
    expect(screen.plain()).not.toContain('\x1bH');
  });
});

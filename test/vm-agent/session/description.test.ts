/** The program and title of a session: which clients are told, when, and whose title counts. */
import { describe, expect, it } from 'vitest';
import { DESCRIBE_EVERY_MS, type Described, Description } from '../../../vm-agent/session/description.ts';
import { SessionFacts } from '../../../vm-agent/session/session-facts.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const SHELL: Described = { title: null, foreground: 'bash' };
const VIM: Described = { title: null, foreground: 'vim' };

function describing() {
  const clock = new FakeClock();
  const told: string[] = [];
  const seen = { now: SHELL, looks: 0 };
  const description = new Description({
    clock,
    look: () => {
      seen.looks++;
      return seen.now;
    },
    tell: (channel, { foreground }) => told.push(`${channel} ${foreground}`),
  });
  return { clock, description, seen, told };
}

describe('the description of a session', () => {
  it('[U12] [AG13] is sent a second after output, once, if it has changed', () => {
    const { clock, description, seen, told } = describing();
    description.follow(1, true, SHELL);
    seen.now = VIM;
    description.printed();
    description.printed();
    clock.advance(DESCRIBE_EVERY_MS - 1);
    expect(told).toEqual([]);
    clock.advance(1);
    expect([told, seen.looks]).toEqual([['1 vim'], 1]);
    description.printed();
    clock.advance(DESCRIBE_EVERY_MS);
    expect(told).toEqual(['1 vim']);
  });

  it('[U12] is sent to each client that does not have it', () => {
    const { clock, description, seen, told } = describing();
    description.follow(1, true, SHELL);
    seen.now = VIM;
    description.follow(2, true, VIM);
    description.follow(3, true);
    clock.advance(DESCRIBE_EVERY_MS);
    expect(told).toEqual(['1 vim', '3 vim']);
  });

  it('[U12] [AG13] costs nothing without output, or without a client that wants it', () => {
    const { clock, description, seen } = describing();
    description.printed();
    description.follow(1, true, SHELL);
    clock.advance(60_000);
    expect([seen.looks, clock.pending]).toEqual([0, 0]);
    description.leave(1);
    description.printed();
    clock.advance(60_000);
    expect([seen.looks, clock.pending]).toEqual([0, 0]);
  });
});

function facts() {
  const storage = { append() {}, resized() {}, update() {}, remove() {} };
  return new SessionFacts('Terminal 1', new Date(), storage);
}

describe('the attention of a session', () => {
  const ASKS: Described = {
    ...SHELL,
    attention: { state: 'asks', text: 'May I?', at: '2026-01-01T00:00:00.000Z', offset: 1 },
  };

  it('[A4] [AG13] is all that a client is told who wants no more', () => {
    const { clock, description, seen, told } = describing();
    description.follow(1, 'attention', SHELL);
    description.follow(2, 'attention');
    description.follow(3, true, SHELL);
    seen.now = VIM;
    description.printed();
    clock.advance(DESCRIBE_EVERY_MS);
    expect(told).toEqual(['3 vim']);
    seen.now = ASKS;
    description.changed();
    clock.advance(DESCRIBE_EVERY_MS);
    seen.now = SHELL;
    description.changed();
    clock.advance(DESCRIBE_EVERY_MS);
    expect(told.slice(1)).toEqual(['1 bash', '2 bash', '3 bash', '1 bash', '2 bash', '3 bash']);
  });

  it('[A4] [AG13] is not all any more once the client wants the rest too', () => {
    const { clock, description, seen, told } = describing();
    description.follow(1, true, SHELL);
    description.follow(1, 'attention');
    seen.now = VIM;
    description.printed();
    clock.advance(DESCRIBE_EVERY_MS);
    expect(told).toEqual([]);
    description.follow(1, true);
    clock.advance(DESCRIBE_EVERY_MS);
    expect(told).toEqual(['1 vim']);
  });

  it('[A4] [AG13] costs nothing while a hidden session prints', () => {
    const { clock, description, seen } = describing();
    description.follow(1, 'attention', SHELL);
    for (let i = 0; i < 100; i++) {
      description.printed();
      clock.advance(DESCRIBE_EVERY_MS);
    }
    expect([seen.looks, clock.pending]).toEqual([0, 0]);
  });
});

describe('progress', () => {
  const HALF = { state: 'running', percent: 50 } as const;

  it('[T4] is that of the program in the foreground, and ends with it', () => {
    const session = facts();
    session.advance({ state: 'running', percent: 49 });
    expect(session.progressOf('make')).toEqual({ state: 'running', percent: 49 });
    session.advance(HALF);
    expect(session.progressOf('bash'), 'interrupted right after its last report').toBeNull();
    expect(session.progressOf('make'), 'another start of it').toBeNull();
    session.advance(HALF);
    expect(session.progressOf('cargo'), 'the first report of another program').toEqual(HALF);
  });

  it('[T4] stays if the foreground program is unknown', () => {
    const session = facts();
    session.advance(HALF);
    expect([session.progressOf(null), session.progressOf('make')]).toEqual([HALF, HALF]);
  });

  it('[T4] has changed only if the state or the percentage has', () => {
    const session = facts();
    const reports = [HALF, { ...HALF }, { state: 'paused', percent: 50 } as const, null, null];
    expect(reports.map((report) => session.advance(report))).toEqual([true, false, true, true, false]);
  });

  it.each([
    ['begins', HALF],
    ['stops', undefined],
  ])('[T4] is told when it %s', (_what, now) => {
    const { clock, description, seen, told } = describing();
    description.follow(1, true, now === undefined ? { ...SHELL, progress: HALF } : SHELL);
    seen.now = now === undefined ? SHELL : { ...SHELL, progress: now };
    description.changed();
    clock.advance(DESCRIBE_EVERY_MS);
    expect(told).toEqual(['1 bash']);
  });
});

describe('a title', () => {
  it('[U12] is used while the program that set it is in the foreground', () => {
    const session = facts();
    session.retitle('notes.txt');
    expect(session.titleOf('vim')).toBe('notes.txt');
    expect(session.titleOf('bash'), 'vim has left it behind').toBeNull();
    session.retitle('ann@vm: ~');
    expect(session.titleOf('bash')).toBe('ann@vm: ~');
    expect(session.titleOf('make')).toBeNull();
    expect(session.titleOf('bash')).toBe('ann@vm: ~');
  });

  it('[U12] is used if the foreground program is unknown', () => {
    const session = facts();
    session.retitle('notes.txt');
    expect(session.titleOf(null)).toBe('notes.txt');
    expect(session.titleOf('vim')).toBe('notes.txt');
  });

  it('[U12] that is empty is ignored', () => {
    const session = facts();
    session.retitle('notes.txt');
    session.retitle('');
    expect(session.titleOf('vim')).toBeNull();
  });
});

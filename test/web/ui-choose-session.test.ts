import { describe, expect, it } from 'vitest';
import { chooseSession } from '../../web/ui/choose-session.ts';
import { sessionInfo } from '../support/scripted-session.ts';

const kept = { id: 'mine', name: 'Mine' };
const mine = sessionInfo('mine');
const older = sessionInfo('older');

describe('a page that has connected', () => {
  it.each([
    { name: '[P22] shows the session it kept', kept, sessions: [older, mine], chosen: 'mine' },
    {
      name: 'shows the oldest running one when it kept none',
      kept: null,
      sessions: [older, mine],
      chosen: 'older',
    },
    { name: 'shows the oldest running one when its own is gone', kept, sessions: [older], chosen: 'older' },
    {
      name: '[P22] starts a fresh one when its own has exited',
      kept,
      sessions: [sessionInfo('mine', { status: 'exited', exitCode: 0 })],
      chosen: null,
    },
    { name: '[P22] starts a fresh one when nothing runs', kept, sessions: [], chosen: null },
  ])('$name', ({ kept, sessions, chosen }) => {
    expect(chooseSession(kept, sessions)?.id ?? null).toBe(chosen);
  });
});

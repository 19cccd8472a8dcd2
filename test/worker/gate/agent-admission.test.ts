import { describe, expect, it } from 'vitest';
import { type Admission, judgeAgent } from '../../../worker/gate/agent-admission.ts';

const challenge = (pins: boolean): Admission => ({ kind: 'challenge', key: 'mine', pins });

describe('an agent that dials', () => {
  it.each<[pinned: string | null, key: string | null, repin: boolean, Admission]>([
    [null, null, false, { kind: 'admit' }],
    [null, null, true, { kind: 'admit' }],
    [null, 'mine', false, challenge(true)],
    [null, 'mine', true, challenge(true)],
    ['mine', 'mine', false, challenge(false)],
    ['mine', 'mine', true, challenge(false)],
    ['other', 'mine', true, challenge(true)],
  ])('[AK2] [AK3] [AK6] pinned %s, offered %s, repin %s', (pinned, key, repin, admission) => {
    expect(judgeAgent(pinned, { key, repin })).toEqual(admission);
  });

  it.each<[pinned: string, key: string | null, repin: boolean]>([
    ['other', 'mine', false],
    ['other', null, false],
    ['other', null, true],
  ])(
    '[AK2] pinned %s, offered %s, repin %s is refused with both ways to be admitted',
    (pinned, key, repin) => {
      const admission = judgeAgent(pinned, { key, repin });
      expect(admission).toMatchObject({ kind: 'refuse', why: expect.stringContaining('`repin: true`') });
      expect(admission).toMatchObject({ why: expect.stringContaining('`holdfast agent-key reset`') });
    },
  );
});

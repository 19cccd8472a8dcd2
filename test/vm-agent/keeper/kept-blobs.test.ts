/** What agents leave with the keeper, for each program. */
import { describe, expect, it } from 'vitest';
import { BLOBS_MAX, BLOBS_MAX_BYTES } from '../../../vm-agent/keeper/limits.ts';
import { openKeeper } from './scripted-agent.ts';

function open() {
  const { attach, keeper, ptys } = openKeeper();
  const agent = attach();
  agent.spawn(1);
  agent.credit(1, 100);
  const replace = (start?: Parameters<typeof attach>[0]) => {
    keeper.detach();
    return attach(start);
  };
  return { agent, replace, ptys };
}

describe('what agents leave for the next one', () => {
  it('[K1] is told before any output; the last one of each name counts', () => {
    const { agent, ptys, replace } = open();
    ptys[0]?.prints('x');
    agent.blob(1, 'metadata', Buffer.from('old'));
    agent.blob(1, 'checkpoint', Buffer.from('screen'));
    agent.blob(1, 'metadata', Buffer.from('new'));
    const next = replace();
    expect(next.session(1).blobs).toBe(2);
    expect(next.hears()).toEqual(['hello', '1 session', '1 left metadata new', '1 left checkpoint screen']);
  });

  it.each(['without blobs', 'without replay'] as const)(
    '[F30] is only the metadata and the runs %s',
    (start) => {
      const { agent, replace } = open();
      agent.blob(1, 'checkpoint', Buffer.from('screen'));
      agent.blob(1, 'metadata', Buffer.from('name'));
      agent.blob(1, 'runs', Buffer.from('typed'));
      expect(replace(start).hears()).toEqual([
        'hello',
        '1 session',
        '1 left metadata name',
        '1 left runs typed',
      ]);
      expect(replace().session(1).blobs).toBe(3);
    },
  );

  it('[M1] has a limit; what is beyond it is not kept, and the old one stays', () => {
    const { agent, replace } = open();
    agent.blob(1, 'a', Buffer.alloc(10));
    agent.blob(1, 'b', Buffer.alloc(BLOBS_MAX_BYTES - 10));
    agent.blob(1, 'a', Buffer.alloc(11));
    agent.blob(1, 'c', Buffer.alloc(1));
    agent.blob(1, 'n'.repeat(65), Buffer.alloc(0));
    const kept = [`1 left a ${'\0'.repeat(10)}`, `1 left b (${BLOBS_MAX_BYTES - 10})`];
    expect(replace().hears().slice(2)).toEqual(kept);
    agent.blob(1, 'b', Buffer.alloc(BLOBS_MAX_BYTES - 11));
    agent.blob(1, 'a', Buffer.alloc(11));
    agent.blob(1, 'n'.repeat(64), Buffer.alloc(0));
    const changed = replace().hears().slice(2);
    expect(changed.slice(0, 2)).toEqual([
      `1 left a ${'\0'.repeat(11)}`,
      `1 left b (${BLOBS_MAX_BYTES - 11})`,
    ]);
    expect(changed.length).toBe(3);
  });

  it('[M1] has so many names at most; those that are there can be replaced', () => {
    const { agent, replace } = open();
    for (let n = 0; n <= BLOBS_MAX; n++) agent.blob(1, `name-${n}`, Buffer.alloc(0));
    agent.blob(1, 'name-0', Buffer.from('new'));
    const kept = replace().hears().slice(2);
    expect([kept.length, kept[0]]).toEqual([BLOBS_MAX, '1 left name-0 new']);
  });
});

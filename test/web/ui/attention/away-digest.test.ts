/** When somebody is told what happened while they were away, and what is remembered for that. */
import { describe, expect, it } from 'vitest';
import type { ClientAccess } from '../../../../client/access/client-access.ts';
import type { ClientChange } from '../../../../client/client-change.ts';
import type { ClientState } from '../../../../client/workspace-client.ts';
import type { SessionDigest } from '../../../../protocol/messages/digest.ts';
import { AwayDigest } from '../../../../web/ui/attention/away-digest.ts';
import { AWAY_MIN_MS, LastSeen } from '../../../../web/ui/attention/last-seen.ts';
import { MutedSessions } from '../../../../web/ui/attention/muted-sessions.ts';

class Shelf {
  readonly values = new Map<string, string>();
  readonly getItem = (key: string) => this.values.get(key) ?? null;
  readonly setItem = (key: string, value: string) => void this.values.set(key, value);
}

const BLOCKED = {
  getItem: () => {
    throw new Error('blocked');
  },
  setItem: () => {
    throw new Error('blocked');
  },
};

const QUIET: SessionDigest = {
  session: 's1',
  name: 'Terminal 1',
  finished: 0,
  failed: 0,
  commands: [],
  printedBytes: 10,
};
const BUSY: SessionDigest = { ...QUIET, session: 's2', finished: 2 };
const ASKS: SessionDigest = {
  ...QUIET,
  session: 's3',
  attention: { state: 'asks', text: '', at: '2026-01-01T10:00:00.000Z', offset: 1 },
};

class Story {
  nowMs = Date.parse('2026-01-01T10:00:00.000Z');
  readonly asked: string[] = [];
  answer: readonly SessionDigest[] | null = [QUIET, BUSY, ASKS];
  can: string[] | undefined = ['digest'];
  isLive = true;
  onlySession: string | null = null;
  readonly digest: AwayDigest;
  readonly #heard = new Set<(change: ClientChange) => void>();

  constructor(storage: Pick<Storage, 'getItem' | 'setItem'> = new Shelf()) {
    const story = this;
    this.digest = new AwayDigest({
      seen: new LastSeen(storage, 'local'),
      now: () => new Date(this.nowMs),
      client: {
        get state() {
          const agent = { state: 'online', can: story.can };
          return (story.isLive ? { name: 'live', agent } : { name: 'connecting' }) as unknown as ClientState;
        },
        get access() {
          return { onlySession: story.onlySession } as ClientAccess;
        },
        onChange: (listener) => {
          this.#heard.add(listener);
          return () => this.#heard.delete(listener);
        },
        requests: {
          digest: async (since) => {
            this.asked.push(since);
            if (this.answer === null) throw new Error('lost');
            return [...this.answer];
          },
        },
      },
    });
    this.digest.start();
  }

  async leaves(ms: number): Promise<void> {
    this.digest.noteSeen();
    this.nowMs += ms;
    this.digest.returned();
    await Promise.resolve();
    await Promise.resolve();
  }

  async connects(): Promise<void> {
    for (const heard of this.#heard) heard({ of: 'connection' } as ClientChange);
    await Promise.resolve();
    await Promise.resolve();
  }

  get told(): string[] | undefined {
    return this.digest.current()?.sessions.map(({ session }) => session);
  }
}

describe('[A6] somebody who comes back', () => {
  it('is told what happened since, what is urgent first, until they dismiss it', async () => {
    const story = new Story();
    await story.leaves(AWAY_MIN_MS);
    expect([story.asked, story.told]).toEqual([['2026-01-01T10:00:00.000Z'], ['s3', 's2']]);
    story.digest.dismiss();
    expect(story.told).toBeUndefined();
  });

  it.each<[string, (story: Story) => void, number]>([
    ['was away for a moment', () => {}, AWAY_MIN_MS - 1],
    [
      'has missed nothing',
      (story) => {
        story.answer = [QUIET];
      },
      AWAY_MIN_MS,
    ],
    [
      'sees one session only',
      (story) => {
        story.onlySession = 's1';
      },
      AWAY_MIN_MS,
    ],
    [
      'has an agent that cannot tell',
      (story) => {
        story.can = undefined;
      },
      AWAY_MIN_MS,
    ],
  ])('is told nothing if it %s', async (_, given, ms) => {
    const story = new Story();
    given(story);
    await story.leaves(ms);
    expect(story.told).toBeUndefined();
  });

  it('is told once the machine can be asked, also if the first answer is lost', async () => {
    const story = new Story();
    story.isLive = false;
    await story.leaves(AWAY_MIN_MS);
    expect(story.asked).toEqual([]);
    story.isLive = true;
    story.answer = null;
    await story.connects();
    story.answer = [BUSY];
    await story.connects();
    expect([story.asked.length, story.told]).toEqual([2, ['s2']]);
    await story.connects();
    expect(story.asked).toHaveLength(2);
  });

  it('is told nothing where nothing can be remembered, or something else was', async () => {
    const blocked = new Story(BLOCKED);
    await blocked.leaves(AWAY_MIN_MS);
    const shelf = new Shelf();
    shelf.setItem('holdfast/seen/local', '"yesterday"');
    const odd = new Story(shelf);
    odd.digest.returned();
    expect([blocked.asked, odd.asked]).toEqual([[], []]);
  });
});

describe('[A4] muted sessions', () => {
  it('are remembered, the newest of many', () => {
    const shelf = new Shelf();
    const muted = new MutedSessions(shelf, 'local');
    for (let i = 0; i < 150; i++) muted.change(`s${i}`, true);
    muted.change('s149', false);
    const again = new MutedSessions(shelf, 'local');
    expect([again.has('s148'), again.has('s149'), again.has('s0'), again.list.length]).toEqual([
      true,
      false,
      false,
      99,
    ]);
  });

  it('are none where storage is blocked or holds something else', () => {
    const shelf = new Shelf();
    shelf.setItem('holdfast/muted/local', '{"a":1}');
    const odd = new MutedSessions(shelf, 'local');
    const blocked = new MutedSessions(BLOCKED, 'local');
    blocked.change('s1', true);
    expect([odd.list, blocked.list]).toEqual([[], []]);
  });
});

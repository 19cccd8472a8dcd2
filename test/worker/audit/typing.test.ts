/** Who types: what is recorded, and the cost of a keystroke. */
import { describe, expect, it } from 'vitest';
import { SESSIONS_MAX, TYPED_LAST_EVERY_MS, TYPED_NOTE_EVERY_MS } from '../../../protocol/limits.ts';
import { Typing, type TypingMemory } from '../../../worker/audit/typing.ts';
import type { ClientPeer } from '../../../worker/peers/peer.ts';

const HANDLE = 7;

const client = (channel: number, name: string): ClientPeer => ({
  role: 'operator',
  channel,
  generation: 1,
  handles: [],
  credential: { tokenId: `token-${channel}`, issuedAt: 0, expiresAt: 9e15, ...(name === '' ? {} : { name }) },
  connectedAt: 0,
});
const ADA = client(1, 'Ada');
const BEN = client(2, 'Ben');

class Story {
  now = 1_000_000;
  readonly handles = new Map([[HANDLE, 's1']]);
  readonly notes: string[] = [];
  /** The reads and writes of storage. */
  readonly asked: string[] = [];
  readonly #memory: TypingMemory = {
    sessionWithHandle: (handle) => {
      this.asked.push(`which is ${handle}`);
      return this.handles.get(handle) ?? null;
    },
    handleOf: (session) => [...this.handles].find(([, known]) => known === session)?.[0] ?? null,
    learnHandle: (session, handle) => this.handles.set(handle, session).has(handle),
    typedLast: (session, name, at) => void this.asked.push(`${session}: ${name} at ${at}`),
  };
  typing = this.#awake();

  #awake(): Typing {
    return new Typing(this.#memory, ({ credential }, session) =>
      this.notes.push(`${credential.name} in ${session}`),
    );
  }

  evict(): void {
    this.typing = this.#awake();
  }

  types(peer: ClientPeer, handle = HANDLE): void {
    this.typing.settle(this.now);
    this.typing.typed(peer, handle, this.now);
  }
}

describe('typing', () => {
  it('[AU5] is recorded with the first frame; ten thousand more in that minute need no storage access', () => {
    const story = new Story();
    story.types(ADA);
    const cost = ['which is 7', 's1: Ada at 1000000'];
    expect([story.notes, story.asked]).toEqual([['Ada in s1'], cost]);
    for (let i = 0; i < 10_000; i++) {
      story.now = 1_000_000 + Math.floor((i * (TYPED_NOTE_EVERY_MS - 1)) / 10_000);
      story.types(ADA);
    }
    expect([story.notes, story.asked]).toEqual([['Ada in s1'], cost]);
    story.now = 1_000_000 + TYPED_NOTE_EVERY_MS;
    story.types(ADA);
    expect(story.notes).toEqual(['Ada in s1', 'Ada in s1']);
  });

  it('[AU5] of each person is recorded at once, however shortly after another', () => {
    const story = new Story();
    story.types(ADA);
    story.now += 1;
    story.types(BEN);
    expect(story.notes).toEqual(['Ada in s1', 'Ben in s1']);
    expect(story.asked.at(-1)).toBe('s1: Ben at 1000001');
  });

  it('[AU5] in turn changes the last typist at most once in five seconds, and the last of them stays', () => {
    const story = new Story();
    story.types(ADA);
    story.types(BEN);
    const before = story.asked.length;
    for (let i = 0; i < 100; i++) {
      story.now += 10;
      story.types(i % 2 === 0 ? ADA : BEN);
    }
    story.types(ADA);
    expect(story.asked.length - before).toBe(0);
    const typedAt = story.now;
    story.now = 1_000_000 + TYPED_LAST_EVERY_MS - 1;
    story.typing.settle(story.now);
    expect(story.asked.length - before).toBe(0);
    story.now += 1;
    story.typing.settle(story.now);
    expect(story.asked.slice(before)).toEqual([`s1: Ada at ${typedAt}`]);
    story.now += 60_000;
    story.typing.settle(story.now);
    expect(story.asked.slice(before), 'once').toHaveLength(1);
  });

  it('[AU5] by the agent for a client is recorded like its own', () => {
    const story = new Story();
    story.typing.typedBy(ADA, 's1', story.now);
    story.typing.typedBy(ADA, 's1', story.now + 1);
    expect([story.notes, story.asked]).toEqual([['Ada in s1'], ['which is 7', 's1: Ada at 1000000']]);
    story.typing.typedBy(BEN, 'never attached', story.now);
    expect(story.notes.at(-1)).toBe('Ben in never attached');
    expect(story.asked.at(-1)).toBe('never attached: Ben at 1000000');
  });

  it('[AU5] after a hibernation is recorded again, because storage knows the session of a handle', () => {
    const story = new Story();
    story.types(ADA);
    story.evict();
    story.now += 3600_000;
    story.types(ADA);
    expect(story.notes).toEqual(['Ada in s1', 'Ada in s1']);
  });

  it('[AU5] under an unknown handle is looked up once, and recorded when an attach reveals the session', () => {
    const story = new Story();
    for (let i = 0; i < 100; i++) story.types(ADA, 99);
    expect([story.notes, story.asked]).toEqual([[], ['which is 99']]);
    story.typing.learn(99, 's9');
    story.types(ADA, 99);
    expect(story.notes).toEqual(['Ada in s9']);
  });

  it('[AU5] under any number of wrong handles remembers at most as many as there can be sessions', () => {
    const story = new Story();
    for (let handle = 100; handle < 100 + SESSIONS_MAX; handle++) story.types(ADA, handle);
    expect(story.asked).toHaveLength(SESSIONS_MAX);
    story.types(ADA, 100);
    expect(story.asked, 'still known').toHaveLength(SESSIONS_MAX);
    story.types(ADA, 100 + SESSIONS_MAX);
    story.types(ADA, 100);
    expect(story.asked, 'all were forgotten, and two asked for').toHaveLength(SESSIONS_MAX + 2);
  });

  it('[AU7] by a token without a name is shown by the beginning of its id', () => {
    const story = new Story();
    story.types(client(12_345_678, ''));
    expect(story.asked.at(-1)).toMatch(/^s1: token token-12 at/);
  });
});

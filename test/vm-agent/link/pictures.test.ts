/** How often snapshots are taken for clients that request them endlessly. */
import { describe, expect, it } from 'vitest';
import type { Refusal } from '../../../protocol/errors.ts';
import { PICTURE_REST_MAX_MS, Pictures, restAfter } from '../../../vm-agent/link/pictures.ts';
import type { Taken } from '../../../vm-agent/screen/snapshot.ts';
import type { Session } from '../../../vm-agent/session/session.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const TAKEN = { offset: 0, deflated: new Uint8Array(1) } as Taken;

function world(taken = TAKEN) {
  const clock = new FakeClock();
  const begun: string[] = [];
  const sent: number[] = [];
  const refused: string[] = [];
  const takes: (() => void)[] = [];
  const session = {
    end: 0,
    identity: { handle: 1 },
    snapshot: ({ format }: { format: string }) => {
      begun.push(format);
      return new Promise<Taken>((resolve) => takes.push(() => resolve(taken)));
    },
  } as unknown as Session;
  const window = { admits: () => true, replaying() {}, sentSnapshot() {} };
  const pictures = new Pictures({
    clock,
    windowOf: () => window as never,
    send: (_session, channel) => void sent.push(channel),
    answering: (channel, _question, act) => {
      try {
        act();
      } catch (error) {
        refused.push(`${channel}: ${(error as Refusal).code}`);
      }
    },
  });
  const ask = (channel: number, format: 'ansi' | 'text' | 'html' = 'text') =>
    pictures.take(
      session,
      { channel, role: 'viewer' },
      { type: 'take_snapshot', request: 'p', session: 's', format },
    );
  /** The oldest pending one is done after this time. */
  const takeIn = async (ms: number) => {
    clock.advance(ms);
    takes.shift()?.();
    await Promise.resolve();
    await Promise.resolve();
  };
  return { clock, begun, sent, refused, ask, takeIn };
}

/** Sessions whose commands are drawn when the test says so. */
function drawings() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const sessionNamed = (name: string) =>
    ({
      identity: { handle: 1 },
      drawCommand: (command: number) => {
        begun.push(`${name} ${command}`);
        return new Promise((resolve) => ends.push(() => resolve({ taken: TAKEN, lost: 0 })));
      },
    }) as unknown as Session;
  const sent: number[] = [];
  const pictures = new Pictures({
    clock: new FakeClock(),
    windowOf: () => ({ admits: () => true, replaying() {}, sentSnapshot() {} }) as never,
    send: (_session, channel) => void sent.push(channel),
    answering: (_channel, _question, act) => act(),
  });
  const asks = (channel: number, session: Session, command: number) =>
    pictures.take(
      session,
      { channel, role: 'viewer' },
      { type: 'take_snapshot', request: 'p', session: 's', format: 'text', command },
    );
  /** The drawing that was begun last is done, or none was begun. */
  const settled = async () => {
    ends.shift()?.();
    for (let turns = 0; turns < 10; turns++) await Promise.resolve();
  };
  return { begun, sent, pictures, sessionNamed, asks, settled };
}

describe('[SEC15] [OU21] [X20] the outputs of commands', () => {
  it('are drawn one after the other, of all sessions', async () => {
    const { begun, sent, sessionNamed, asks, settled } = drawings();
    const [a, b] = [sessionNamed('a'), sessionNamed('b')];
    asks(1, a, 1);
    asks(2, b, 7);
    asks(3, a, 2);
    await settled();
    expect(begun).toEqual(['a 1']);
    for (const drawn of ['b 7', 'a 2']) {
      await settled();
      expect(begun.at(-1)).toBe(drawn);
    }
    await settled();
    expect(sent).toEqual([1, 2, 3]);
  });

  it('are not drawn for clients that have left', async () => {
    const { begun, pictures, sessionNamed, asks, settled } = drawings();
    asks(1, sessionNamed('a'), 1);
    asks(2, sessionNamed('b'), 7);
    asks(3, sessionNamed('c'), 9);
    await settled();
    pictures.forget(2);
    await settled();
    expect(begun).toEqual(['a 1', 'c 9']);
  });
});

describe('requested snapshots of one kind', () => {
  it('[SEC15] are not started before as much time has passed as the last one took', async () => {
    const { clock, begun, sent, ask, takeIn } = world();
    ask(1);
    ask(2);
    await takeIn(300);
    expect(sent).toEqual([1]);
    ask(3);
    clock.advance(299);
    expect(begun).toHaveLength(1);
    clock.advance(1);
    expect(begun).toHaveLength(2);
    await takeIn(10);
    expect(sent, 'all who asked meanwhile share one').toEqual([1, 2, 3]);
  });

  it('[SEC15] are started at once after that time, and leave nothing behind', async () => {
    const { clock, begun, ask, takeIn } = world();
    ask(1);
    await takeIn(300);
    clock.advance(300);
    expect(clock.pending).toBe(0);
    ask(1);
    expect(begun).toHaveLength(2);
  });

  it('[SEC15] do not wait for those of another kind', async () => {
    const { begun, ask, takeIn } = world();
    ask(1, 'text');
    await takeIn(300);
    ask(1, 'html');
    expect(begun).toEqual(['text', 'html']);
  });

  it('[OU16] are refused to all requesters if not even the screen fits', async () => {
    const { sent, refused, ask, takeIn } = world('too large');
    ask(1);
    await takeIn(10);
    expect([sent, refused]).toEqual([[], ['1: bad_request']]);
  });

  it('[OU16] wait for a limited time', () => {
    expect([0, 20, PICTURE_REST_MAX_MS, 60_000].map(restAfter)).toEqual([
      0,
      20,
      PICTURE_REST_MAX_MS,
      PICTURE_REST_MAX_MS,
    ]);
  });
});

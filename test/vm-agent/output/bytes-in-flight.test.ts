/**
 * Bytes in flight to clients that do not read are limited, whatever they send. A client that reads is up to date in the
 * end, however fast it attaches, hides and shows.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ECHO_ROOM_MAX_BYTES,
  PAYLOAD_MAX_BYTES,
  REPLAYS_IN_FLIGHT_MAX_BYTES,
  SNAPSHOTS_WAITING_MAX,
} from '../../../protocol/limits.ts';
import { WINDOW_FIRST_BYTES } from '../../../vm-agent/output/credit-window.ts';
import { checkProperty } from '../../support/property.ts';
import { type UnreadClient, UnreadRelay } from '../../support/unread-relay.ts';

const HISTORY_BYTES = 256 * 1024;
const SCREEN_BYTES = 100_000;
/** Everything that one replay can be. */
const REPLAY_MAX_BYTES = HISTORY_BYTES + SCREEN_BYTES + 1_000;
/** A client that has never acknowledged anything: its first window, its replays, its echoes. */
const UNREAD_MAX_BYTES = 1.25 * WINDOW_FIRST_BYTES + REPLAYS_IN_FLIGHT_MAX_BYTES + ECHO_ROOM_MAX_BYTES;
/** Replays that are sent after 1 s, 3 s, 7 s, … although there is no credit. */
const forcedBytes = (ms: number) => Math.floor(Math.log2(ms / 1_000 + 1)) * REPLAY_MAX_BYTES;

function world(sessions = 1, paddingBytes = 0) {
  const relay = new UnreadRelay(HISTORY_BYTES);
  const ids = Array.from({ length: sessions }, () => relay.create());
  for (const screen of relay.screens.screens) screen.paddingBytes = paddingBytes;
  return { relay, ids, id: ids[0] as string };
}

describe('a client that reads nothing', () => {
  it('[OU20] [X4] gets no more by attaching repeatedly', () => {
    const { relay, id } = world();
    relay.print(0, HISTORY_BYTES);
    const viewer = relay.connect(1, 'viewer');
    for (let i = 0; i < 200; i++) viewer.attach(id, 0);
    expect(viewer.unreadBytes).toBeLessThanOrEqual(UNREAD_MAX_BYTES);
    expect(relay.agent.sessions.inFlightBytes).toBe(viewer.unreadBytes);
    relay.clock.advance(60_000);
    expect(viewer.unreadBytes).toBeLessThanOrEqual(UNREAD_MAX_BYTES + forcedBytes(60_000));
  });

  it('[SEC21] [X4] gets no more by requesting screens, also in several sessions', async () => {
    const { relay, ids } = world(4, SCREEN_BYTES);
    const viewer = relay.connect(1, 'viewer');
    for (let i = 0; i < 100; i++) {
      for (const id of ids) viewer.attach(id, null);
      await relay.settle();
    }
    expect(viewer.unreadBytes).toBeLessThanOrEqual(UNREAD_MAX_BYTES);
    expect(viewer.unreadBytes).toBeGreaterThan(REPLAYS_IN_FLIGHT_MAX_BYTES / 2);
  });

  it.each([
    ['hiding and showing', (viewer: UnreadClient, id: string) => viewer.hide(id)],
    ['leaving and coming back', (viewer: UnreadClient, id: string) => viewer.detach(id)],
  ])('[X4] gets no more by %s while something is printed', (_, leave) => {
    const { relay, id } = world();
    const viewer = relay.connect(1, 'viewer');
    for (let i = 0; i < 300; i++) {
      viewer.attach(id, relay.end(id));
      relay.print(0, 16 * 1024);
      leave(viewer, id);
    }
    expect(viewer.unreadBytes).toBeLessThanOrEqual(UNREAD_MAX_BYTES);
  });

  it('[X4] gets one small frame for each of a few sessions when its window is full, and no more by leaving them', () => {
    const { relay, ids } = world(30);
    const viewer = relay.connect(1, 'viewer');
    for (let round = 0; round < 100; round++) {
      for (const [i, id] of ids.entries()) {
        viewer.attach(id, relay.end(id));
        relay.print(i, 4_000);
        viewer.detach(id);
      }
    }
    expect(viewer.unreadBytes).toBeLessThanOrEqual(UNREAD_MAX_BYTES);
  });

  it('[X4] requests one screen from one thread, however often it attaches before that is taken', async () => {
    const { relay, id } = world();
    const [screen] = relay.screens.screens;
    if (screen === undefined) throw new Error('no screen');
    screen.isPrompt = false;
    const viewer = relay.connect(1, 'viewer');
    for (let i = 0; i < 100; i++) viewer.attach(id, null);
    expect(screen.asked).toBe(1);
    await screen.takes();
    await relay.settle();
    viewer.read();
    expect(viewer.next(id)).toBe(relay.end(id));
  });

  it('[X4] leaves nothing counted when it is gone, or when the link is new', () => {
    const { relay, id } = world();
    relay.print(0, HISTORY_BYTES);
    const viewer = relay.connect(1, 'viewer');
    viewer.attach(id, 0);
    relay.leave(viewer);
    expect(relay.agent.sessions.inFlightBytes).toBe(0);
    relay.connect(2, 'viewer').attach(id, 0);
    expect(relay.agent.sessions.inFlightBytes).toBeGreaterThan(0);
    relay.agent.linkOpened();
    expect(relay.agent.sessions.inFlightBytes).toBe(0);
  });
});

describe('a client that reads but does not acknowledge snapshots, such as a page of the previous version', () => {
  it('[X4] is shown each of many idle sessions, at least one every 32 seconds', async () => {
    const { relay, ids } = world(30, SCREEN_BYTES);
    const page = relay.connect(1, 'operator', false);
    for (const id of ids) {
      page.attach(id, null);
      for (let waited = 0; waited < 35_000 && page.next(id) === undefined; waited += 250) {
        await relay.settle();
        page.read();
        relay.clock.advance(250);
      }
      expect(page.next(id)).toBe(relay.end(id));
    }
  });

  it('[X4] proves all of them with the first line that is printed', async () => {
    const { relay, ids, id } = world(30, SCREEN_BYTES);
    const page = relay.connect(1, 'operator', false);
    page.attach(id, relay.end(id));
    for (const other of ids.slice(1)) page.attach(other, null);
    await relay.settle();
    page.read();
    expect(relay.agent.sessions.inFlightBytes).toBeGreaterThan(REPLAYS_IN_FLIGHT_MAX_BYTES / 2);
    relay.print(0, 10);
    page.read();
    expect(relay.agent.sessions.inFlightBytes).toBe(0);
  });
});

describe('requested snapshots', () => {
  const picture = (viewer: UnreadClient, session: string, format: 'ansi' | 'text' | 'html' = 'text') =>
    viewer.ask({ type: 'take_snapshot', request: 'p', session, format });

  it('[X4] are refused beyond what one client may wait for, and taken together', async () => {
    const { relay, id } = world();
    const [screen] = relay.screens.screens;
    if (screen === undefined) throw new Error('no screen');
    screen.isPrompt = false;
    const viewer = relay.connect(1, 'viewer');
    for (let i = 0; i < SNAPSHOTS_WAITING_MAX + 3; i++) picture(viewer, id);
    expect(screen.asked).toBe(1);
    await screen.takes();
    await relay.settle();
    expect(screen.asked, 'the rest share the next, which shows what was printed before they asked').toBe(2);
    await screen.takes();
    await relay.settle();
    viewer.read();
    expect(viewer.refusals).toEqual(['slow_down', 'slow_down', 'slow_down']);
    expect(screen.asked).toBe(2);
    picture(viewer, id);
    expect(screen.asked, 'one that has them all may ask again').toBe(3);
  });

  it('[X4] that nobody reads are refused when there is no credit', async () => {
    const { relay, id } = world(1, SCREEN_BYTES);
    const viewer = relay.connect(1, 'viewer');
    for (let i = 0; i < 100; i++) {
      picture(viewer, id);
      await relay.settle();
    }
    expect(viewer.unreadBytes).toBeLessThanOrEqual(UNREAD_MAX_BYTES);
    viewer.read();
    expect(new Set(viewer.refusals)).toEqual(new Set(['slow_down']));
  });

  it('[X4] are no longer counted once they are acknowledged', async () => {
    const { relay, id } = world(1, SCREEN_BYTES);
    const viewer = relay.connect(1, 'viewer');
    for (let i = 0; i < 100; i++) {
      picture(viewer, id);
      await relay.settle();
      viewer.read();
    }
    expect(viewer.refusals).toEqual([]);
    expect(relay.agent.sessions.inFlightBytes).toBe(0);
  });

  it('[X4] for a client that has left are neither sent nor counted', async () => {
    const { relay, id } = world(1, SCREEN_BYTES);
    const viewer = relay.connect(1, 'viewer');
    picture(viewer, id);
    relay.leave(viewer);
    await relay.settle();
    expect([relay.agent.sessions.inFlightBytes, viewer.unreadBytes]).toEqual([0, 0]);
  });
});

describe('for any behaviour of clients', () => {
  const SESSIONS = 3;
  const session = fc.nat(SESSIONS - 1);
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('print' as const),
        session,
        bytes: fc.constantFrom(1, 3_000, PAYLOAD_MAX_BYTES),
      }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('attach' as const), who: fc.nat(2), session }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('attach anew' as const), who: fc.nat(2), session }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('hide' as const), who: fc.nat(2), session }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('detach' as const), who: fc.nat(2), session }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('picture' as const), who: fc.nat(2), session }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('read' as const),
        who: fc.nat(2),
        frames: fc.constantFrom(1, 5, 1_000),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(10, 300, 2_500) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('storm' as const),
        who: fc.constant(0),
        session,
        times: fc.nat(30),
      }),
    },
  );

  /** The first reads nothing at all; the second is a page of the previous version, the third one of this version. */
  it('[X4] [OU2] in-flight bytes are counted, bounded for clients that do not read, and clients that read are up to date in the end', async () => {
    await checkProperty(
      'bytes-in-flight',
      fc.asyncProperty(fc.array(step, { maxLength: 120, size: 'max' }), async (steps) => {
        const { relay, ids } = world(SESSIONS, SCREEN_BYTES);
        const clients = [
          relay.connect(1, 'viewer', false),
          relay.connect(2, 'operator', false),
          relay.connect(3, 'viewer', true),
        ];
        const client = (who: number) => clients[who] as UnreadClient;
        const name = (index: number) => ids[index] as string;
        for (const each of steps) {
          if (each.do === 'print') relay.print(each.session, each.bytes);
          if (each.do === 'attach') client(each.who).attach(name(each.session));
          if (each.do === 'attach anew') client(each.who).attach(name(each.session), null);
          if (each.do === 'hide') client(each.who).hide(name(each.session));
          if (each.do === 'detach') client(each.who).detach(name(each.session));
          if (each.do === 'picture')
            client(each.who).ask({
              type: 'take_snapshot',
              request: 'p',
              session: name(each.session),
              format: 'text',
            });
          if (each.do === 'read' && each.who !== 0) client(each.who).read(each.frames);
          if (each.do === 'wait') relay.clock.advance(each.ms);
          if (each.do === 'storm')
            for (let i = 0; i < each.times; i++) client(0).attach(name(each.session), 0);
          await relay.settle();
          expectCounted(relay, clients);
        }
        const idle = client(0);
        expect(idle.mostUnreadBytes).toBeLessThanOrEqual(UNREAD_MAX_BYTES + forcedBytes(relay.clock.now()));
        for (const reader of clients.slice(1)) await expectUpToDate(relay, reader, ids);
      }),
      { numRuns: 50 },
    );
  });
});

/** Unread bytes are counted, whatever was left, hidden or reattached since. */
function expectCounted(relay: UnreadRelay, clients: readonly UnreadClient[]): void {
  const unread = clients.reduce((sum, { unreadBytes }) => sum + unreadBytes, 0);
  // Checked after every step of every story: `expect` is called only to report a failure.
  if (unread > relay.agent.sessions.inFlightBytes)
    expect(unread).toBeLessThanOrEqual(relay.agent.sessions.inFlightBytes);
}

/** It shows every session, one after the other, and reads. */
async function expectUpToDate(
  relay: UnreadRelay,
  reader: UnreadClient,
  ids: readonly string[],
): Promise<void> {
  for (const id of ids) {
    reader.attach(id);
    for (let round = 0; round < 200 && reader.next(id) !== relay.end(id); round++) {
      await relay.settle();
      reader.read();
      relay.clock.advance(250);
    }
    await relay.settle();
    expect(reader.next(id)).toBe(relay.end(id));
  }
}

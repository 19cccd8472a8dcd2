/** Bytes in flight to clients that do not read are limited, whatever they send. */
import { describe, expect, it } from 'vitest';
import { REPLAYS_IN_FLIGHT_MAX_BYTES, SNAPSHOTS_WAITING_MAX } from '../../../protocol/limits.ts';
import type { UnreadClient } from '../../support/unread-relay.ts';
import { forcedBytes, HISTORY_BYTES, SCREEN_BYTES, UNREAD_MAX_BYTES, world } from './unread-world.ts';

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

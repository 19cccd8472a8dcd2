import { describe, expect, it } from 'vitest';
import { type PushBrowser, PushSwitch } from '../../../../web/ui/push/push-switch.ts';

/** A browser and a relay that behave: what they know can be looked at. */
class FakeWorld {
  permission: PushBrowser['permission'] = 'default';
  /** What the person answers. */
  answer: PushBrowser['permission'] = 'granted';
  subscribedWith: string | null = null;
  /** At the relay, by id: what is muted. */
  readonly atRelay = new Map<string, readonly string[]>();
  isRelayDown = false;
  key = 'key-1';
  /** In this browser. */
  readonly muted: string[] = [];

  open(): PushSwitch {
    const reached = () => {
      if (this.isRelayDown) throw new Error('The relay cannot be reached.');
    };
    const world = this;
    return new PushSwitch({
      browser: {
        get permission() {
          return world.permission;
        },
        ask: async () => {
          this.permission = this.answer;
          return this.answer;
        },
        current: async (key) => (this.subscribedWith === key ? { endpoint: 'e' } : null),
        subscribe: async (key) => {
          this.subscribedWith = key;
          return { endpoint: 'e' };
        },
        unsubscribe: async () => {
          this.subscribedWith = null;
        },
      },
      relay: {
        key: async () => {
          reached();
          return this.key;
        },
        subscribe: async (_, muted) => {
          reached();
          this.atRelay.set('id', [...muted]);
          return 'id';
        },
        unsubscribe: async (id) => {
          reached();
          this.atRelay.delete(id);
        },
      },
      muted: { list: this.muted },
    });
  }
}

describe('notifications while no page is open', () => {
  it('[A5] are off until somebody switches them on, and on in the next page', async () => {
    const world = new FakeWorld();
    const first = world.open();
    await first.start();
    expect(first.state).toEqual({ name: 'off', trouble: null });
    await first.turnOn();
    expect(first.state).toEqual({ name: 'on', id: 'id' });
    world.atRelay.clear();
    const next = world.open();
    await next.start();
    expect(next.state).toEqual({ name: 'on', id: 'id' });
    expect([...world.atRelay.keys()], 'with the login of that page').toEqual(['id']);
  });

  it('[A5] are off at the browser and at the relay once switched off', async () => {
    const world = new FakeWorld();
    const push = world.open();
    await push.turnOn();
    await push.turnOff();
    expect(push.state).toEqual({ name: 'off', trouble: null });
    expect([world.subscribedWith, world.atRelay.size]).toEqual([null, 0]);
  });

  it('[A5] are off at the browser although the relay cannot be reached', async () => {
    const world = new FakeWorld();
    const push = world.open();
    await push.turnOn();
    world.isRelayDown = true;
    await push.turnOff();
    expect(world.subscribedWith).toBeNull();
  });

  it('[A5] cannot be switched on where the browser has none, or the person has blocked them', async () => {
    const { muted, relay } = { muted: { list: [] }, relay: null as never };
    const none = new PushSwitch({ browser: null, relay, muted });
    await none.turnOn();
    expect(none.state.name).toBe('unsupported');
    const world = new FakeWorld();
    world.permission = 'denied';
    expect(world.open().state.name).toBe('blocked');
  });

  it('[A5] stay off if the person says no, or nothing', async () => {
    const world = new FakeWorld();
    const push = world.open();
    world.answer = 'default';
    await push.turnOn();
    expect(push.state).toEqual({ name: 'off', trouble: null });
    world.answer = 'denied';
    await push.turnOn();
    expect(push.state.name).toBe('blocked');
    expect(world.subscribedWith).toBeNull();
  });

  it('[A5] say why they could not be switched on', async () => {
    const world = new FakeWorld();
    const push = world.open();
    world.isRelayDown = true;
    await push.turnOn();
    expect(push.state).toEqual({ name: 'off', trouble: 'The relay cannot be reached.' });
    world.isRelayDown = false;
    await push.turnOn();
    expect(push.state.name).toBe('on');
  });

  it('[A5] are subscribed again when the page connects again, if it could not be done at first', async () => {
    const world = new FakeWorld();
    await world.open().turnOn();
    const push = world.open();
    world.isRelayDown = true;
    await push.start();
    world.isRelayDown = false;
    world.atRelay.clear();
    await push.start();
    expect(push.state).toEqual({ name: 'on', id: 'id' });
    expect(world.atRelay.size).toBe(1);
  });

  it('[A5] are off if the workspace has another key: what the browser has is of no use', async () => {
    const world = new FakeWorld();
    await world.open().turnOn();
    world.key = 'key-2';
    const push = world.open();
    await push.start();
    expect(push.state.name).toBe('off');
    await push.turnOn();
    expect(world.subscribedWith).toBe('key-2');
  });

  it('[A5] of one session can be muted: the relay is told at once', async () => {
    const world = new FakeWorld();
    const push = world.open();
    world.muted.push('s1');
    await push.mutesChanged();
    expect(world.atRelay.size, 'not if it is off').toBe(0);
    await push.turnOn();
    expect(world.atRelay.get('id')).toEqual(['s1']);
    world.muted.push('s2');
    await push.mutesChanged();
    expect(world.atRelay.get('id')).toEqual(['s1', 's2']);
  });
});

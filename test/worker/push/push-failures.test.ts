/** Push services that are down, slow, gone or hostile: nothing else is affected. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PUSH_RETRIES_MS, PUSH_WITHIN_MS } from '../../../protocol/limits.ts';
import { type PushReply, PushService, SubscribedBrowser } from '../../support/push-service.ts';
import { attachClient, connectAgent, input, output } from '../../support/relay-story.ts';
import { sessionInfo } from '../../support/scripted-session.ts';
import { TestRelay } from '../../support/test-relay.ts';
import { attention, connectMachine, pushFigures, settled, subscriptionCount, wants } from './push-story.ts';

let bad: PushService;
let good: PushService;
let relays: TestRelay;
beforeAll(async () => {
  [bad, good] = [await PushService.open(), await PushService.open()];
  relays = await TestRelay.onWorkerd(PushService.relayOptions(bad, good));
});
afterAll(async () => {
  await relays[Symbol.asyncDispose]();
  for (const service of [bad, good]) await service[Symbol.asyncDispose]();
});
afterEach(() => {
  bad.reply = 201;
  expect([bad.unread, good.unread], 'every push was expected').toEqual([0, 0]);
});

async function open(reply: PushReply) {
  const relay = relays.another();
  const agent = await connectMachine(relay);
  bad.reply = reply;
  const browser = await SubscribedBrowser.at(relay, bad, relay.workspace);
  return { relay, agent, browser };
}

const figures = (relay: TestRelay) => expect.poll(() => pushFigures(relay));

describe('a push service', () => {
  it.each([404, 410])('[F33] [A5] that answers %d has its subscription removed', async (status) => {
    const { relay, agent } = await open(status);
    wants(agent, 's1');
    await bad.next();
    await expect.poll(() => subscriptionCount(relay)).toBe(0);
    wants(agent, 's2');
    await settled(agent);
    expect((await relay.sql('SELECT * FROM push_queue'))[0]).toEqual([]);
  });

  it.each([429, 500, 503])(
    '[F33] [A5] that answers %d is asked again later, and then succeeds',
    async (status) => {
      const { relay, agent, browser } = await open(status);
      wants(agent, 's1');
      await bad.next();
      await figures(relay).toEqual({ push_failed: 1 });
      bad.reply = 201;
      await relay.advance(PUSH_RETRIES_MS[0]);
      expect(browser.read(await bad.next())).toMatchObject({ session: 's1' });
      await figures(relay).toEqual({ push_failed: 1, push_sent: 1 });
      expect(await subscriptionCount(relay)).toBe(1);
    },
  );

  it('[F33] [A5] that fails for good is asked a few times, further and further apart, then the push is dropped', async () => {
    const { relay, agent } = await open(503);
    wants(agent, 's1');
    await bad.next();
    for (const [retried, delayMs] of PUSH_RETRIES_MS.entries()) {
      await figures(relay).toMatchObject({ push_failed: retried + 1 });
      await relay.advance(delayMs);
      await bad.next();
    }
    await figures(relay).toEqual({ push_failed: PUSH_RETRIES_MS.length + 1, push_dropped: 1 });
    expect((await relay.sql('SELECT * FROM push_queue'))[0]).toEqual([]);
    expect(await subscriptionCount(relay), 'the browser may be told of the next').toBe(1);
  });

  it('[F33] [A5] that is down is asked again', async () => {
    const service = await PushService.open();
    await using relay = await TestRelay.onWorkerd(PushService.relayOptions(service, good));
    const agent = await connectMachine(relay);
    await SubscribedBrowser.at(relay, service, 'x');
    await service[Symbol.asyncDispose]();
    const other = await SubscribedBrowser.at(relay, good, 'y');
    wants(agent, 's1');
    expect(other.read(await good.next())).toMatchObject({ session: 's1' });
    await figures(relay).toEqual({ push_failed: 1, push_sent: 1 });
    await relay.advance(PUSH_RETRIES_MS[0]);
    await figures(relay).toEqual({ push_failed: 2, push_sent: 1 });
  });

  it('[A5] [SEC24] [PU3] that the relay may no longer use has its subscription removed', async () => {
    const { relay, agent } = await open(201);
    await relay.sql("UPDATE push_subscriptions SET endpoint = 'https://10.0.0.1/x'");
    agent.terminate();
    await relay.reset();
    await connectAgent(relay, { sessions: [sessionInfo('s1', { attention: attention() })] });
    await expect.poll(() => subscriptionCount(relay)).toBe(0);
    expect(await pushFigures(relay)).toEqual({});
  });

  it('[F33] [A5] [PU5] that hangs delays neither other pushes nor terminals', async () => {
    const { relay, agent } = await open('hang');
    const other = await SubscribedBrowser.at(relay, good, relay.workspace);
    const { client } = await attachClient(relay, agent);
    for (const id of ['s1', 's2', 's3']) wants(agent, id);
    const told = [await good.next(), await good.next(), await good.next()].map(
      (push) => other.read(push).session,
    );
    expect(told.sort()).toEqual(['s1', 's2', 's3']);
    client.send(input(0, 'k'));
    agent.send(output(0, 2, 'k'));
    expect(new TextDecoder().decode((await client.frame()).payload)).toBe('k');
    // Two of its three are on their way; the third waits for one of them.
    await bad.next();
    await bad.next();
    expect(bad.unread).toBe(0);
    bad.reply = 201;
    await relay.advance(PUSH_WITHIN_MS);
    await bad.next();
    await figures(relay).toMatchObject({ push_sent: 4, push_failed: 2 });
  });

  it('[F33] [A5] [SEC24] [PU3] that redirects is not followed', async () => {
    const Location = good.endpoint('elsewhere');
    const { relay, agent } = await open({ status: 307, headers: { Location } });
    wants(agent, 's1');
    await bad.next();
    await figures(relay).toEqual({ push_failed: 1, push_dropped: 1 });
    expect(good.unread).toBe(0);
  });

  it('[F33] [A5] whose answer never ends has answered', async () => {
    const { relay, agent } = await open('endless');
    wants(agent, 's1');
    await bad.next();
    await figures(relay).toEqual({ push_sent: 1 });
  });
});

describe('the network of a self-hosted relay', () => {
  it('[F33] [A5] [SEC24] [PU3] has no private addresses, also if a listed name leads to one', async () => {
    const options = PushService.relayOptions(good);
    const settings = { RELAY_PUSH_HOSTS: `localhost:${good.port}` };
    await using relay = await TestRelay.onWorkerd({ ...options, settings });
    const agent = await connectMachine(relay);
    const endpoint = `https://localhost:${good.port}/x`;
    await SubscribedBrowser.at(relay, good, 'x', undefined, { endpoint });
    const { connections } = good;
    wants(agent, 's1');
    await figures(relay).toEqual({ push_failed: 1 });
    expect(good.connections).toBe(connections);
  });
});

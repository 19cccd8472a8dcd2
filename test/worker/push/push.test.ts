/** When browsers are told that a session wants attention, against a push service that checks and decrypts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PUSH_EVERY_MS } from '../../../protocol/limits.ts';
import { PushService, SubscribedBrowser } from '../../support/push-service.ts';
import { connectAgent } from '../../support/relay-story.ts';
import { sessionInfo } from '../../support/scripted-session.ts';
import { TestRelay } from '../../support/test-relay.ts';
import {
  AT,
  answered,
  attention,
  connectMachine,
  later,
  passes,
  settled,
  subscriptionCount,
  wants,
  wantsNothing,
} from './push-story.ts';

let service: PushService;
let relays: TestRelay;
beforeAll(async () => {
  service = await PushService.open();
  relays = await TestRelay.onWorkerd(PushService.relayOptions(service));
});
afterAll(async () => {
  await relays[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

async function open() {
  const relay = relays.another();
  const agent = await connectMachine(relay);
  const browser = await SubscribedBrowser.at(relay, service, relay.workspace);
  /** The next push, which must be for this browser. */
  const told = async () => browser.read(await service.next());
  return { relay, agent, browser, told };
}

describe('a session that wants attention', () => {
  it('[A5] [PU1] is told at once, with who it is and what it wants', async () => {
    const { relay, agent, browser } = await open();
    wants(agent, 's1', { state: 'failed', text: 'npm test: exit 1' }, 'build');
    const push = await service.next();
    expect(browser.read(push)).toEqual({
      workspace: relay.workspace,
      session: 's1',
      name: 'build',
      state: 'failed',
      text: 'npm test: exit 1',
      at: AT,
    });
  });

  it("[A5] [PU2] is told by a push that the workspace's own key has signed, for that service", async () => {
    const [one, two] = [await open(), await open()];
    wants(one.agent, 's1');
    const { headers, sender, body } = await service.next();
    expect(sender.key).toBe(await one.browser.key());
    expect(sender.key, 'another workspace, another key').not.toBe(await two.browser.key());
    expect(sender.claims.aud).toBe(`https://${service.host}`);
    const validS = sender.claims.exp - Date.now() / 1000;
    expect(validS).toBeGreaterThan(0);
    expect(validS).toBeLessThan(24 * 3600);
    expect(sender.claims.sub, 'plain http is no contact').toBeUndefined();
    expect(headers).toMatchObject({
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      'content-length': String(body.length),
      urgency: 'high',
      ttl: '43200',
    });
    expect(headers.topic).toMatch(/^[\w-]{32}$/);
  });

  it('[A5] [PU2] has its name and text made printable and cut', async () => {
    const { agent, told } = await open();
    wants(agent, 's1', { text: '\x1b]0;x\x07say\u202egnp.exe\r\n' }, `a\x00b${'n'.repeat(200)}`);
    const { name, text } = await told();
    expect(text).toBe(']0;xsaygnp.exe');
    expect(name).toBe(`ab${'n'.repeat(62)}`);
  });

  it('[A5] [PU1] is told once, however often its agent describes it', async () => {
    const { relay, agent, told } = await open();
    wants(agent, 's1');
    expect(await told()).toMatchObject({ session: 's1' });
    wants(agent, 's1', {}, 'renamed');
    // A new connection begins with everything that the agent knows.
    const sessions = [sessionInfo('s1', { attention: attention() }), sessionInfo('s2')];
    const next = await connectAgent(relay, { sessions });
    // Cleared and set again to the same moment, by an agent that repeats itself.
    wantsNothing(next, 's1');
    wants(next, 's1');
    wants(next, 's2');
    expect(await told(), 'nothing of s1 in between').toMatchObject({ session: 's2' });
  });

  it('[A5] is told of what happened while its agent was not connected', async () => {
    const { relay, agent, told } = await open();
    agent.terminate();
    await connectAgent(relay, { sessions: [sessionInfo('s1', { attention: attention() })] });
    expect(await told()).toMatchObject({ session: 's1' });
  });

  it('[A5] [PU1] is told at most once a minute, and then what it wants last', async () => {
    const { relay, agent, told } = await open();
    wants(agent, 's1');
    expect(await told()).toMatchObject({ at: AT });
    wants(agent, 's1', { at: later(1), text: 'second' });
    wants(agent, 's1', { at: later(2), text: 'third' });
    wants(agent, 's2');
    expect(await told(), 'others do not wait').toMatchObject({ session: 's2' });
    await answered(relay, 2);
    await passes(relay, agent, PUSH_EVERY_MS - 10_000);
    wants(agent, 's3');
    expect(await told(), 'not before its time').toMatchObject({ session: 's3' });
    await answered(relay, 3);
    await relay.advance(11_000);
    expect(await told()).toMatchObject({ session: 's1', text: 'third' });
  });

  it('[A5] [PU1] is not told of, if somebody has looked by then', async () => {
    const { relay, agent, told } = await open();
    wants(agent, 's1');
    await told();
    wants(agent, 's1', { at: later(1) });
    wantsNothing(agent, 's1');
    await settled(agent);
    await answered(relay, 1);
    await passes(relay, agent, PUSH_EVERY_MS + 1_000);
    wants(agent, 's2');
    expect(await told()).toMatchObject({ session: 's2' });
  });

  it('[A5] [PU1] is not told of to a browser that has muted it', async () => {
    const { relay, agent, browser } = await open();
    const other = await SubscribedBrowser.at(relay, service, `${relay.workspace}-other`);
    expect((await browser.subscribe({ muted: ['s1'] })).status).toBe(201);
    wants(agent, 's1');
    expect(other.read(await service.next()), 'that is for this browser only').toMatchObject({
      session: 's1',
    });
    await browser.subscribe({ muted: [] });
    wants(agent, 's2');
    const [a, b] = [await service.next(), await service.next()];
    expect([a.path, b.path].sort()).toEqual([`/push/${relay.workspace}`, `/push/${relay.workspace}-other`]);
  });

  it('[A5] costs nothing if nobody has subscribed', async () => {
    const relay = relays.another();
    const agent = await connectMachine(relay);
    wants(agent, 's1');
    await settled(agent);
    const [plans, queue] = await relay.sql('SELECT * FROM push_plans', 'SELECT * FROM push_queue');
    expect([plans, queue]).toEqual([[], []]);
    // Whoever subscribes now is not told of what was there before.
    const browser = await SubscribedBrowser.at(relay, service, relay.workspace);
    const sessions = [sessionInfo('s1', { attention: attention() }), sessionInfo('s2')];
    wants(await connectAgent(relay, { sessions }), 's2');
    expect(browser.read(await service.next())).toMatchObject({ session: 's2' });
  });

  it('[A5] is told only once if the relay ends in the middle, and not never', async () => {
    const { relay, agent, told } = await open();
    service.reply = 'hang';
    wants(agent, 's1');
    await told();
    service.reply = 201;
    // Ends the object while it waits for an answer; the agent comes back with what it knows.
    await relay.reset();
    const next = await connectAgent(relay, { sessions: [sessionInfo('s1', { attention: attention() })] });
    expect(await told()).toMatchObject({ session: 's1', at: AT });
    await expect.poll(async () => (await relay.sql('SELECT * FROM push_queue'))[0]).toEqual([]);
    wants(next, 's2');
    expect(await told()).toMatchObject({ session: 's2' });
  });
});

describe('a subscription', () => {
  it('[A5] [PU4] ends with the token that made it: when that is revoked', async () => {
    const { relay, agent, told } = await open();
    const token = await relay.token('operator');
    await SubscribedBrowser.at(relay, service, 'eve', token);
    const revoked = await fetch(new URL(`/api/workspaces/${relay.workspace}/revocations`, relay.url), {
      method: 'POST',
      headers: await relay.bearer('operator'),
      body: JSON.stringify({ jti: JSON.parse(atob(token.split('.')[1] ?? '')).jti }),
    });
    expect(revoked.status).toBe(204);
    expect(await subscriptionCount(relay), 'at once').toBe(1);
    wants(agent, 's1');
    expect(await told(), 'and the other one is told').toMatchObject({ session: 's1' });
    wants(agent, 's2');
    expect(await told(), 'and nobody else was').toMatchObject({ session: 's2' });
  });

  it('[A5] [PU4] ends with the token that made it: when that expires, also while a push waits', async () => {
    const { relay, agent, told } = await open();
    await SubscribedBrowser.at(relay, service, 'brief', await relay.token('operator', relay.workspace, 3600));
    await relay.advance(3_601_000);
    wants(agent, 's1');
    expect(await told()).toMatchObject({ session: 's1' });
    wants(agent, 's2');
    expect(await told()).toMatchObject({ session: 's2' });
  });

  it('[A5] [PU4] ends when it is removed, by whoever made it', async () => {
    const { relay, agent, browser, told } = await open();
    const { id } = (await (await browser.subscribe()).json()) as { id: string };
    const ada = await relay.mint({ role: 'operator', name: 'ada' });
    expect((await browser.unsubscribe(id, ada)).status, 'not by others').toBe(404);
    wants(agent, 's1');
    await told();
    expect((await browser.unsubscribe(id)).status).toBe(204);
    expect((await browser.unsubscribe(id)).status).toBe(404);
    wants(agent, 's2');
    await settled(agent);
    const [queue] = await relay.sql('SELECT * FROM push_queue');
    expect(queue).toEqual([]);
  });
});

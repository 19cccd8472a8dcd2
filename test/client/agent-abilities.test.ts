/** Requests that not every agent understands: when they are sent, and when they are refused. */
import { describe, expect, it } from 'vitest';
import {
  agentIs,
  asked,
  client,
  clock,
  connects,
  flushed,
  network,
  says,
  settled,
  startsClients,
} from './requests-story.ts';
import { ABLE, DONE, ends, runs } from './run-story.ts';

startsClients();

describe('[A1] a run', () => {
  it('[RL30] is not asked of an earlier agent or relay', async () => {
    connects();
    const { assistant, requests } = client;
    const all = [
      runs(),
      assistant.typeText('s1', 'x', { act: 'a', withinMs: 1 }),
      assistant.signal('s1', 'SIGINT'),
      assistant.awaitSession('s1', 'attention', { waitMs: 1 }),
      requests.digest('2026-11-17T10:00:00.000Z'),
    ];
    const outcomes = Promise.all(all.map(settled));
    await flushed();
    network.passes(clock, 2_000);
    expect(await outcomes).toEqual(all.map(() => 'unsupported'));
    requests.takeKeyboard('s1');
    requests.handBackKeyboard('s1');
    expect(network.latest.heard).toEqual([]);
  });

  it('[RL30] is of unknown outcome if an earlier agent takes over', async () => {
    connects(1, 'online', ABLE);
    const done = settled(runs());
    await flushed();
    agentIs('online', 2);
    await flushed();
    network.passes(clock, 2_000);
    expect(await done).toBe('no answer');
  });

  it('[RL30] is asked of an agent that has just connected, once it has said what it can do', async () => {
    connects(1, 'online');
    const done = runs();
    await flushed();
    network.passes(clock, 1_999);
    expect(network.latest.heard).toEqual([]);
    agentIs('online', 1, ABLE);
    await flushed();
    agentIs('online', 2);
    await flushed();
    network.passes(clock, 1_999);
    agentIs('online', 2, ABLE);
    await flushed();
    ends();
    expect(await done).toEqual(DONE);
  });

  it('[RL30] is asked again if the relay did not know the new agent yet', async () => {
    connects(1, 'online', ABLE);
    const done = runs();
    await flushed();
    const { request } = asked('run_command');
    says({ type: 'error', code: 'agent_offline', message: 'Away.', request });
    await flushed();
    agentIs('online', 2, ABLE);
    await flushed();
    expect(asked('run_command').request).not.toBe(request);
    ends();
    expect(await done).toEqual(DONE);
  });
});

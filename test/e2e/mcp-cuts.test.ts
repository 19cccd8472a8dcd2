/** Calls of coding agents while connections are lost: a command runs once, and the same call has the same result. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CuttingProxy } from '../support/cutting-proxy.ts';
import { McpClient, TRANSPORTS } from '../support/mcp-client.ts';
import { World } from '../support/world.ts';

let world: World;
let proxy: CuttingProxy;
let dir: string;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'holdfast-mcp-'));
  world = await World.open({ shell: '/bin/bash' });
  await world.client();
  proxy = await CuttingProxy.to(world.relay.url);
});
afterEach(async () => {
  await proxy?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true, force: true });
});

const at = (name: string) => join(dir, name);

/** A command that notes that it runs, waits for the test, and fails with a number. */
function command(): string {
  writeFileSync(at('runs'), '');
  return `echo run >> ${at('runs')}; until [ -e ${at('go')} ]; do sleep 0.05; done; echo finished; (exit 7)`;
}

const runs = () => readFileSync(at('runs'), 'utf8').split('\n').length - 1;
const started = () => expect.poll(runs).toBeGreaterThan(0);
const letGo = () => appendFileSync(at('go'), '');

async function connect(transport: (typeof TRANSPORTS)[number]): Promise<McpClient> {
  const { relay } = world;
  const place = { relay: proxy.url, workspace: relay.workspace, token: await relay.token('operator') };
  return McpClient.connect(place, { transport, revision: '2026-07-28' });
}

async function shell(mcp: McpClient): Promise<string> {
  return ((await mcp.facts('open_session', { key: 'cuts' })).session as { id: string }).id;
}

const DONE = { state: 'done', exitCode: 7, output: 'finished' };

/** What happens in the middle of a run, to whom. */
const FAULTS = [
  { name: "the assistant's connection is cut", strike: async () => proxy.cut() },
  {
    name: 'the relay is killed and comes back',
    strike: async () => {
      await world.relay.kill();
      await world.relay.restart();
    },
  },
  { name: 'the agent is killed and replaced', strike: async () => world.killAgent() },
];

describe.each(FAULTS)('[A1] [A2] when $name', ({ strike }) => {
  it('over stdio, the call goes on and answers', async () => {
    await using mcp = await connect('stdio');
    const session = await shell(mcp);
    const call = mcp.facts('run', { session, command: command(), idempotencyKey: 'k', timeoutMs: 120_000 });
    await started();
    await strike();
    letGo();
    const first = await call;
    expect(first).toMatchObject(DONE);
    expect(runs()).toBe(1);
  });

  it('over http, the same call again answers for the same run', async () => {
    await using mcp = await connect('http');
    const session = await shell(mcp);
    const input = { session, command: command(), idempotencyKey: 'k', timeoutMs: 120_000 };
    // The SDK's client does not notice that a stream has ended without an answer; it waits for its time-out.
    const impatience = new AbortController();
    const lost = mcp.call('run', input, { signal: impatience.signal }).catch((error: Error) => error);
    await started();
    await strike();
    letGo();
    const answers = await repeated(() => mcp.facts('run', input));
    expect(answers).toMatchObject(DONE);
    expect(await repeated(() => mcp.facts('run', input))).toEqual(answers);
    expect(runs()).toBe(1);
    impatience.abort();
    await lost;
  });
});

describe.each(TRANSPORTS)('[A2] over %s', (transport) => {
  it('a wait for text goes on after the agent was replaced', async () => {
    await using mcp = await connect(transport);
    const session = await shell(mcp);
    await mcp.facts('run', { session, command: 'true' });
    const waiting = mcp.facts('wait', { session, for: 'text', pattern: '^finished$', timeoutMs: 120_000 });
    await mcp.facts('run', { session, command: command(), timeoutMs: 1000 });
    await started();
    world.killAgent();
    letGo();
    expect(await waiting).toMatchObject({ happened: true, text: expect.stringContaining('finished') });
  });
});

/** What a caller does whose call failed: the same again. */
async function repeated<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await call();
    } catch (error) {
      if (tries > 100) throw error;
    }
  }
}

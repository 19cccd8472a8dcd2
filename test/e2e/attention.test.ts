/** What a session wants of a person, from a real shell to the HTTP API: a real agent, keeper and relay. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SessionDigest } from '../../protocol/messages/digest.ts';
import type { ApiClient } from '../support/api-client.ts';
import { agentOf } from '../support/kept-agent.ts';
import { hasProc } from '../support/needs-proc.ts';
import { BUILT_KEEPER, World } from '../support/world.ts';

const hasKeeper = hasProc && process.env.HOLDFAST_NO_KEEPER === undefined;

let world: World;
let api: ApiClient;
beforeAll(async () => {
  world = await World.open({ agentProgram: BUILT_KEEPER });
  api = await world.api();
});
afterAll(() => world[Symbol.asyncDispose]());

const attentionOf = async (id: string) => (await api.session(id)).attention;
const wants = (id: string) => expect.poll(() => attentionOf(id), { timeout: 15_000 });

/** A shell that prints what it is told to, one line after the other; with newlines, so it does not seem to ask. */
const TALKER = { args: ['-c', 'stty -echo; echo ready; while read -r line; do printf "$line"; echo; done'] };

async function talker(): Promise<string> {
  const { id } = await api.create(TALKER);
  await api.waitFor(id, { text: 'ready' });
  return id;
}

/** Kills the agent, and returns when the next one types into the session. */
async function killAgent(id: string): Promise<void> {
  const before = agentOf(world.agent.pid);
  world.killAgent();
  await expect.poll(() => agentOf(world.agent.pid), { timeout: 15_000 }).not.toBe(before);
  await expect.poll(async () => (await api.type(id, 'x\n')).status, { timeout: 15_000 }).toBe(200);
  await api.waitFor(id, { text: 'x' });
}

describe.skipIf(!hasKeeper)('[A4] [AS6] the attention of a session', () => {
  it('is told to scripts that wait for it, and cleared by a person who looks', async () => {
    const id = await talker();
    const waiting = api.ask('GET', `/sessions/${id}/wait?for=attention&timeout=20`);
    await api.type(id, `${String.raw`\033]9;May I?\007`}\n`);
    expect((await waiting).body).toMatchObject({ attention: { state: 'asks', text: 'May I?' } });
    await wants(id).toMatchObject({ state: 'asks', text: 'May I?' });
    const { body } = await api.ask<string>('GET', '/metrics');
    expect(body).toMatch(/^holdfast_sessions_attention\{.*state="asks".*\} 1$/m);
    using client = await world.client();
    client.attach(id);
    await wants(id).toBeUndefined();
  });

  it('outlives the agent, and what was seen once is not noticed again', async () => {
    const id = await talker();
    await api.type(id, `${String.raw`\033]777;notify;Build;broken\007`}\n`);
    await wants(id).toMatchObject({ text: 'Build: broken' });
    const first = await attentionOf(id);
    await killAgent(id);
    expect(await attentionOf(id)).toEqual(first);
    {
      using client = await world.client();
      client.attach(id);
      await wants(id).toBeUndefined();
    }
    await killAgent(id);
    expect(await attentionOf(id)).toBeUndefined();
    await api.type(id, `${String.raw`\033]9;later\007`}\n`);
    await wants(id).toMatchObject({ text: 'later' });
  });

  it('is a guess if a program waits for input, and none for one that draws the screen', async () => {
    const asks = await api.create({ args: ['-c', 'printf "Go on? [y/n] "; read -r answer; exec sleep 600'] });
    const draws = await api.create({ args: ['-c', 'printf "\\033[?1049h~"; exec cat'] });
    await wants(asks.id).toMatchObject({ state: 'asks', text: 'sh -c waits for input', guessed: true });
    await api.type(asks.id, 'y\n');
    await wants(asks.id).toBeUndefined();
    expect(await attentionOf(draws.id)).toBeUndefined();
  });

  it('is wanted when the program ends, and says how', async () => {
    const { id } = await api.create({ args: ['-c', 'exit 7'] });
    await wants(id).toMatchObject({ state: 'failed', text: 'Ended with exit code 7' });
  });
});

describe.skipIf(!hasKeeper)('[A6] [AS7] the digest', () => {
  it('says what happened since some time, to viewers too', async () => {
    const id = await talker();
    const since = new Date(Date.now() - 60_000).toISOString();
    await api.type(id, `${String.raw`\033]133;C;cmdline_url=npm test\007red\n\033]133;D;1\007`}\n`);
    await api.waitFor(id, { text: 'red' });
    const viewer = await world.api('viewer');
    const { body } = await viewer.ask<{ sessions: SessionDigest[] }>('GET', `/digest?since=${since}`);
    const digest = body.sessions.find(({ session }) => session === id);
    expect(digest).toMatchObject({ finished: 1, failed: 1, commands: [{ exitCode: 1 }] });
    expect(digest?.printedBytes).toBeGreaterThan(10);
  });
});

/**
 * A machine is identified by its key: the real agent, a thief with its token, and the two ways to admit another
 * machine.
 */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LocalAgent, startLocalAgent } from '../../cli/local/local-agent.ts';
import { HeadlessClient } from '../support/headless-client.ts';
import { holdfast } from '../support/holdfast-command.ts';
import { sharedRelays } from '../support/shared-relays.ts';
import { SECRET, type TestRelay } from '../support/test-relay.ts';
import { BUILT_AGENT } from '../support/world.ts';

const relays = sharedRelays();
let relay: TestRelay;
let dir: string;
const agents: Machine[] = [];

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'holdfast-agent-key-'));
  relay = await relays.onWorkerd();
});
afterEach(async () => {
  for (const { agent } of agents.splice(0)) await agent.stop();
  rmSync(dir, { recursive: true });
});

interface Machine {
  readonly agent: LocalAgent;
  readonly tokenFile: string;
  readonly keyFile: string;
  /** Resolves with the first line of its log that matches. */
  says(pattern: RegExp): Promise<string>;
}

/** A machine with this token, and its own key next to it. */
function startMachine(name: string, token: string, env: Record<string, string> = {}): Machine {
  const tokenFile = join(dir, `${name}-token`);
  const keyFile = join(dir, `${name}-key`);
  writeFileSync(tokenFile, token, { mode: 0o600 });
  const lines: string[] = [];
  let wakeUp: () => void = () => {};
  const agent = startLocalAgent({
    relay: relay.url,
    workspace: relay.workspace,
    tokenFile,
    program: BUILT_AGENT,
    flags: ['--key-file', keyFile],
    env: { PATH: process.env.PATH, HOME: dir, SHELL: '/bin/sh', ...env },
    log: (text) => {
      lines.push(...text.split('\n'));
      wakeUp();
    },
  });
  const says = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const found = lines.find((line) => pattern.test(line));
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        wakeUp = resolve;
      });
    }
  };
  const machine = { agent, tokenFile, keyFile, says };
  agents.push(machine);
  return machine;
}

async function person(): Promise<HeadlessClient> {
  const client = new HeadlessClient(relay.url, relay.workspace, await relay.token('operator'));
  await client.online();
  return client;
}

async function operatorEnv(): Promise<Record<string, string>> {
  return {
    HOLDFAST_RELAY: relay.url.href,
    HOLDFAST_WORKSPACE: relay.workspace,
    HOLDFAST_TOKEN: await relay.token('operator'),
  };
}

const doctor = ({ tokenFile, keyFile }: Machine) =>
  holdfast([
    'agent',
    'doctor',
    ...['--relay', relay.url.href, '--workspace', relay.workspace],
    ...['--token-file', tokenFile, '--key-file', keyFile],
  ]);

describe('a machine', () => {
  it('[SEC17] [AK2] [AK8] is identified by the key it created at its first start; a thief with its token is refused and gets nothing', async () => {
    const token = await relay.token('agent');
    const machine = startMachine('own', token);
    using client = await person();
    expect(statSync(machine.keyFile).mode & 0o777).toBe(0o600);
    const key = readFileSync(machine.keyFile, 'utf8');
    const { session, screen } = await client.open();

    const thief = startMachine('thief', token);
    const refusal = await thief.says(/"code":4403/);
    expect(refusal).toMatch(
      /has pinned another key for its agent.*`repin: true`.*`holdfast agent-key reset`/,
    );
    session.type(new TextEncoder().encode('echo for-$((6*7))-only\n'));
    await screen.sees(/for-42-only/);
    expect(await thief.says(/"state":"dialing"/), 'it goes on dialling').toBeDefined();

    const env = await operatorEnv();
    const shown = await holdfast(['agent-key', 'show'], { env });
    expect([shown.code, shown.err]).toEqual([0, '']);
    const [, fingerprint = '?'] =
      /^(SHA256:\S+) since 20\S+Z, pinned by the token \S+\n$/.exec(shown.out) ?? [];
    expect((await doctor(machine)).out).toContain(`${fingerprint}, which the relay has pinned`);
    const { out } = await doctor(thief);
    expect(out).toMatch(
      /^fail +agent key .* is not the key that the relay has pinned.*--repin.*agent-key reset/m,
    );
    expect(readFileSync(machine.keyFile, 'utf8'), 'made once').toBe(key);
  });

  it('[AK7] can be replaced after an operator resets its key, and stops when the new one takes over', async () => {
    const machine = startMachine('own', await relay.token('agent'));
    using client = await person();
    const rebuilt = startMachine('rebuilt', await relay.token('agent'));
    await rebuilt.says(/"code":4403/);
    const env = await operatorEnv();
    expect(await holdfast(['agent-key', 'reset'], { env })).toMatchObject({ code: 0, out: '' });
    expect(await machine.agent.ended).toBe('exit code 0');
    await rebuilt.says(/"state":"open"/);
    await client.online();
  });

  it('[AK6] can be replaced with a token made for it', async () => {
    const machine = startMachine('own', await relay.token('agent'));
    using client = await person();
    const secret = join(dir, 'secret');
    writeFileSync(secret, SECRET, { mode: 0o600 });
    const made = await holdfast([
      ...['token', '-w', relay.workspace, '--role', 'agent', '--expires', '1h', '--repin'],
      ...['--secret-file', secret],
    ]);
    const rebuilt = startMachine('rebuilt', made.out.trim());
    expect(await machine.agent.ended).toBe('exit code 0');
    await rebuilt.says(/"state":"open"/);
    await client.online();
  });

  it('[AK8] with a damaged key file reports it, keeps the file, and is refused', async () => {
    const keyFile = join(dir, 'own-key');
    writeFileSync(keyFile, 'damaged', { mode: 0o600 });
    const machine = startMachine('own', await relay.token('agent'));
    using _client = await person();
    expect(await machine.says(/no_agent_key/)).toMatch(/is damaged/);
    expect(readFileSync(keyFile, 'utf8')).toBe('damaged');
    expect((await holdfast(['agent-key', 'show'], { env: await operatorEnv() })).err).toMatch(
      /no key is pinned/,
    );
    expect((await doctor(machine)).out).toMatch(/^warn +agent key .* is damaged/m);
  });
});

describe('holdfast agent-key', () => {
  it('reports a missing permission, an unreachable relay and wrong usage', async () => {
    const env = await operatorEnv();
    const asViewer = { ...env, HOLDFAST_TOKEN: await relay.token('viewer') };
    expect(await holdfast(['agent-key', 'reset'], { env: asViewer })).toMatchObject({
      code: 77,
      err: expect.stringContaining('The role viewer may not do this.'),
    });
    const nowhere = { ...env, HOLDFAST_RELAY: 'http://127.0.0.1:1' };
    expect(await holdfast(['agent-key', 'show'], { env: nowhere })).toMatchObject({ code: 69 });
    expect(await holdfast(['agent-key'], { env })).toMatchObject({ code: 2 });
  });
});

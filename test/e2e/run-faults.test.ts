/** Commands that are run while the relay or the agent process is killed: each is run once, and how it ended is told. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiClient } from '../support/api-client.ts';
import { holdfast } from '../support/holdfast-command.ts';
import { hasProc, unlessProc } from '../support/needs-proc.ts';
import { World } from '../support/world.ts';

const hasKeeper = hasProc && process.env.HOLDFAST_NO_KEEPER === undefined;

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'holdfast-run-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const log = () => (existsSync(join(dir, 'log')) ? readFileSync(join(dir, 'log'), 'utf8') : '');
const go = () => writeFileSync(join(dir, 'go'), '');

/** Runs until it is let go. */
const COMMAND =
  'echo begun >> log; while [ ! -e go ]; do sleep 0.05; done; echo ended >> log; echo over; (exit 5)';
const ONCE = 'begun\nended\n';

async function opened() {
  const world = await World.open({ home: dir });
  const api = await world.api();
  const { id } = await api.create({ command: 'bash', cwd: dir, env: {} });
  const begun = () => expect.poll(log, { timeout: 20_000 }).toBe('begun\n');
  const run = () => api.ask('POST', `/sessions/${id}/run`, { command: COMMAND }, { 'Idempotency-Key': 'k' });
  return { world, id, begun, run };
}

const DONE = { state: 'done', exitCode: 5, output: 'over', omittedBytes: 0 };

describe.skipIf(!hasKeeper)(`[A1] a run goes on${unlessProc}`, () => {
  it('[AS1] while the agent process is killed, and is answered by the next one', async () => {
    const { world, begun, run } = await opened();
    await using _ = world;
    const answer = run();
    await begun();
    world.killAgent();
    await expect.poll(async () => (await world.health()).agent.generation).toBeGreaterThan(1);
    go();
    expect(await answer).toMatchObject({ status: 200, body: DONE });
    expect((await run()).body, 'asked again').toMatchObject(DONE);
    expect(log()).toBe(ONCE);
  });

  it('[AS1] while the relay is killed: the request is lost, and repeated with its key', async () => {
    const { world, begun, run } = await opened();
    await using _ = world;
    const lost = run().catch((error: Error) => error);
    await begun();
    await world.relay.kill();
    expect(await lost).toBeInstanceOf(Error);
    await world.relay.restart();
    await world.api();
    go();
    expect(await run()).toMatchObject({ status: 200, body: DONE });
    expect(log()).toBe(ONCE);
  });

  it('[AS1] while relay and agent process are killed under `holdfast run`, which exits with the exit code', async () => {
    const { world, id, begun } = await opened();
    await using _ = world;
    const env = {
      HOLDFAST_RELAY: world.relay.url.href,
      HOLDFAST_WORKSPACE: world.relay.workspace,
      HOLDFAST_TOKEN: await world.relay.token('operator'),
    };
    const command = holdfast(['run', id, COMMAND], { env });
    await begun();
    await world.relay.kill();
    world.killAgent();
    await world.relay.restart();
    await ApiClient.of(world.relay);
    go();
    expect(await command).toEqual({ code: 5, out: 'over\n', err: '' });
    expect(log()).toBe(ONCE);
  });

  it('[AS1] has an unknown outcome when the shell is gone with its keeper', async () => {
    const { world, begun, run } = await opened();
    await using _ = world;
    const answer = run();
    await begun();
    await world.crashAgent();
    expect(await answer).toMatchObject({ status: 504, body: { error: { code: 'unknown_outcome' } } });
  });
});

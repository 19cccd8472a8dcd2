/** Sessions of a real agent: how long they stay, what is refused, what its shells inherit. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { hasProc, unlessProc } from '../support/needs-proc.ts';
import { endSessions } from '../support/page-story.ts';
import { sharedRelays } from '../support/shared-relays.ts';
import { typeInto } from '../support/type-into.ts';
import { World, type WorldOptions } from '../support/world.ts';

const relays = sharedRelays();
/** An agent in its own workspace. */
const openWorld = async (options: WorldOptions = {}) => World.open(options, await relays.onWorkerd());

// These tests mostly wait, so they run in parallel.
describe.concurrent('orphaned sessions', () => {
  it('[S3] [P25] end after the grace period, and health shows it', async ({ expect }) => {
    // A new session is orphaned until its client has attached, which takes more than a second on a busy machine.
    await using world = await openWorld({ agentFlags: ['--orphan-grace-period', '10'] });
    const client = await world.client();
    await client.open();
    await expect
      .poll(async () => (await world.health()).sessions)
      .toEqual({ running: 1, orphaned: 0, exited: 0 });
    client[Symbol.dispose]();
    await expect
      .poll(async () => (await world.health()).sessions)
      .toEqual({ running: 0, orphaned: 0, exited: 0 });
  });

  it('[P25] [P12] stay without a grace period, and can be attached again', async ({ expect }) => {
    await using world = await openWorld();
    const first = await world.client();
    const { id, session, screen } = await first.open();
    typeInto(session, 'MARK=kept\n');
    await screen.sees(/MARK=kept\n\$$/);
    first[Symbol.dispose]();
    await expect
      .poll(async () => (await world.health()).sessions)
      .toEqual({ running: 1, orphaned: 1, exited: 0 });
    const second = await world.client();
    const again = second.attach(id);
    typeInto(again.session, 'echo "<$MARK>"\n');
    await again.screen.sees(/^<kept>$/m);
    await expect
      .poll(async () => (await world.health()).sessions)
      .toEqual({ running: 1, orphaned: 0, exited: 0 });
  });

  it('[F15] [S3] [P9] are not ended by an agent that was frozen before it hears which clients are connected', async () => {
    await using world = await openWorld({ agentFlags: ['--orphan-grace-period', '10'] });
    const client = await world.client();
    const { id, session, screen } = await client.open();
    typeInto(session, 'echo alive-$((1+1))\n');
    await screen.sees(/alive-2/);
    // The page reloads while the machine is suspended: gone and back before the agent can hear about either.
    world.freeze();
    client[Symbol.dispose]();
    const back = world.unattended(await world.relay.token('operator'));
    await back.until(() => back.client.state.name === 'live');
    const again = back.attach(id);
    await new Promise((resolve) => setTimeout(resolve, 12_000));
    world.thaw();
    await again.screen.sees(/alive-2/);
    typeInto(again.session, 'echo still-$((1+1))\n');
    await again.screen.sees(/still-2/);
  });

  it('[F15] whose grace period ran out during a suspend are not ended before the relay reports its clients', async ({
    expect,
  }) => {
    await using world = await openWorld({ agentFlags: ['--orphan-grace-period', '5'] });
    const client = await world.client();
    const { id, session, screen } = await client.open();
    typeInto(session, 'echo alive-$((1+1))\n');
    await screen.sees(/alive-2/);
    client[Symbol.dispose]();
    await expect.poll(async () => (await world.health()).sessions.orphaned).toBe(1);
    // The timer is running. It expires while the agent is suspended, which notices that before it hears about
    // clients.
    world.freeze();
    const back = world.unattended(await world.relay.token('operator'));
    await back.until(() => back.client.state.name === 'live');
    const again = back.attach(id);
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    world.thaw();
    await again.screen.sees(/alive-2/);
    typeInto(again.session, 'echo still-$((1+1))\n');
    await again.screen.sees(/still-2/);
  });
});

// Tests that do not affect each other share one agent: starting another is most of their cost.
describe('one agent', () => {
  const MOST_SESSIONS = 2;
  let world: World;
  let healthPort: number;
  beforeAll(async () => {
    healthPort = await freePort();
    const agentFlags = ['--health-port', `${healthPort}`, '--max-sessions', `${MOST_SESSIONS}`];
    world = await openWorld({ agentFlags });
  });
  afterAll(() => world[Symbol.asyncDispose]());
  afterEach(async () => {
    await endSessions(world);
    await expect.poll(async () => (await world.health()).sessions.running).toBe(0);
  });

  it('[P10] serves health and metrics on loopback if configured', async () => {
    const client = await world.client();
    await client.open();
    const ask = async (path: string) => (await fetch(`http://127.0.0.1:${healthPort}${path}`)).text();
    expect(JSON.parse(await ask('/health'))).toMatchObject({
      status: 'ok',
      link: { state: 'open' },
      sessions: { running: 1, orphaned: 0, exited: 0 },
    });
    expect(await ask('/metrics')).toMatch(/^holdfast_sessions\{state="running"\} 1$/m);
    await expect.poll(() => ask('/metrics')).toMatch(/^holdfast_screens\{state="awake"\} 1$/m);
  });

  it.skipIf(!hasProc)(
    `[SEC9] a shell inherits nothing of ours: no environment variable, no access to the agent's, no open file${unlessProc}`,
    async () => {
      const client = await world.client();
      await client.open();
      const { session, screen } = await client.open();
      typeInto(
        session,
        "echo env-$(env | grep -c CANARY)-$(tr '\\0' '\\n' < /proc/$PPID/environ | grep -c CANARY)-end\n",
      );
      // Not at the beginning of a line: what is typed before the prompt is printed after it.
      await screen.sees(/env-0-0-end$/m);
      typeInto(session, 'ls -m /proc/$$/fd\n');
      // 10 and 255 are what sh and bash keep of the terminal for themselves.
      await screen.sees(/\b0, 1, (10, )?2(, 255)?$/m);
      typeInto(session, 'echo locale-$(locale charmap)-$TERM-end\n');
      await screen.sees(/locale-UTF-8-xterm-256color-end$/m);
    },
  );

  it('[F19] a session beyond the limit is refused with a typed error', async () => {
    const client = await world.client();
    const { session, screen } = await client.open();
    for (let running = 1; running < MOST_SESSIONS; running++) await client.open();
    await expect(client.client.create({ cols: 80, rows: 24 })).rejects.toMatchObject({
      code: 'session_limit',
    });
    typeInto(session, 'echo alive-$((1+1))\n');
    await screen.sees(/alive-2/);
  });

  it.each([
    [{ command: '/no/such/program' }, 'command_missing'],
    [{ command: '/etc/passwd' }, 'not_executable'],
    [{ cwd: '/no/such/directory' }, 'cwd_missing'],
    [{ cwd: '/etc/passwd' }, 'cwd_missing'],
    [{ env: { LD_PRELOAD: '/tmp/x.so' } }, 'bad_request'],
  ])('[F19] %j is refused with a typed error and leaves nothing behind', async (wrong, code) => {
    const client = await world.client();
    await expect(client.client.create({ cols: 80, rows: 24, ...wrong })).rejects.toMatchObject({ code });
    expect((await world.health()).sessions.running).toBe(0);
    await client.open();
  });
});

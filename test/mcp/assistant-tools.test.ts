/** The tools that use the keyboard, with an agent that a test plays, over both transports and revisions. */
import { afterAll, beforeAll, beforeEach, describe, it } from 'vitest';
import { CLIENT_NAME, McpClient, type McpPlace, REVISIONS, WAYS } from '../support/mcp-client.ts';
import { ATTENTION, COMMAND, DONE, ScriptedRunner } from '../support/scripted-runner.ts';
import { sharedRelays } from '../support/shared-relays.ts';
import type { TestRelay } from '../support/test-relay.ts';

const relays = sharedRelays();
/** The tests of one way share its client, which over stdio is a process, and replace the agent. */
const IN_TURN = { concurrent: false } as const;

// In parallel, because a call first says after five seconds that it goes on.
describe.concurrent.each(WAYS)('over $transport in $revision', (way) => {
  let relay: TestRelay;
  let place: McpPlace;
  let mcp: McpClient;
  let agent: ScriptedRunner;
  beforeAll(async () => {
    relay = await relays.onWorkerd();
    place = { relay: relay.url, workspace: relay.workspace, token: await relay.token('operator') };
    mcp = await McpClient.connect(place, way);
  });
  afterAll(() => mcp[Symbol.asyncDispose]());
  beforeEach(async () => {
    agent = await ScriptedRunner.on(relay);
    return () => agent[Symbol.asyncDispose]();
  });

  it('[A2] run answers how a command ended, and names who ran it', IN_TURN, async ({ expect }) => {
    const answer = await mcp.call('run', { session: 's1', command: 'make', idempotencyKey: 'k' });
    expect(answer).toMatchObject({
      isError: false,
      facts: { ...DONE, idempotencyKey: 'k' },
      text: 'exit code 0, 1.2 s, in /srv\n\nall is well',
    });
    const [asked] = agent.of('run_command');
    // Over HTTP in the older revision a client tells its name once, and that request is another.
    const isKnown = way.transport === 'stdio' || way.revision !== REVISIONS[0];
    expect(asked?.actor).toBe(isKnown ? CLIENT_NAME : undefined);
  });

  it(
    '[A2] [A3] calls of one assistant have the keyboard together, over one connection or several',
    IN_TURN,
    async ({ expect }) => {
      await mcp.facts('run', { session: 's1', command: 'make' });
      await mcp.facts('keys', { session: 's1', keys: ['enter'] });
      const other = { ...place, token: await relay.token('operator') };
      await using another = await McpClient.connect(other, way);
      await another.facts('keys', { session: 's1', keys: ['enter'] });
      const [ran] = agent.of('run_command');
      const [first, second] = agent.of('type_text');
      const holders = [ran, first, second].map((asked) => asked?.holder);
      // With one connection for all calls, the connection stands for the assistant.
      if (way.transport === 'stdio') return expect(holders).toEqual([undefined, undefined, undefined]);
      expect(holders[0]).toMatch(/^[\w-]{43}$/);
      expect(holders[1]).toBe(holders[0]);
      expect(holders[2]).not.toBe(holders[0]);
    },
  );

  it('[A2] run with the same key is typed once, and without a key each time', IN_TURN, async ({ expect }) => {
    const call = (more: object) => mcp.facts('run', { session: 's1', command: 'make', ...more });
    const first = await call({ idempotencyKey: 'k' });
    expect(await call({ idempotencyKey: 'k' })).toEqual(first);
    expect([...agent.typed.values()]).toEqual(['make']);
    const { idempotencyKey } = await call({});
    await call({});
    expect(agent.typed.size).toBe(3);
    await call({ idempotencyKey });
    expect(agent.typed.size).toBe(3);
  });

  it(
    '[A2] type pastes a text, keys presses keys, and signal names the program',
    IN_TURN,
    async ({ expect }) => {
      expect(await mcp.facts('type', { session: 's1', text: 'two\nlines' })).toEqual({ offset: 7 });
      expect(await mcp.facts('keys', { session: 's1', keys: ['y', 'enter', 'ctrl-c', 'up'] })).toEqual({
        offset: 7,
      });
      expect(agent.of('type_text')).toMatchObject([
        { text: 'two\nlines', paste: true },
        { text: 'y\r\x03\x1b[A', paste: false },
      ]);
      expect(await mcp.facts('signal', { session: 's1', signal: 'SIGTERM' })).toEqual({ program: 'make' });
      expect(agent.of('signal_session')).toMatchObject([{ signal: 'SIGTERM' }]);
    },
  );

  it(
    '[A2] wait tells which command ended, and why a session wants attention',
    IN_TURN,
    async ({ expect }) => {
      const wait = (what: string) => mcp.call('wait', { session: 's1', for: what, since: 20 });
      expect(await wait('command')).toMatchObject({
        facts: { happened: true, command: COMMAND, offset: 50 },
        text: 'A command has ended: make test, exit code 1.',
      });
      expect(await wait('attention')).toMatchObject({
        facts: { happened: true, attention: ATTENTION, offset: 50 },
        text: 'asks: Continue?',
      });
      expect(agent.of('await_session')).toMatchObject([{ since: 20 }, { since: 20 }]);
    },
  );

  it('[A2] a refusal of the machine is an error of the tool, with its code', IN_TURN, async ({ expect }) => {
    expect(await mcp.call('close', { session: 'nobody' })).toMatchObject({ isError: true });
    expect(await mcp.call('wait', { session: 's1', for: 'text', pattern: '(' })).toMatchObject({
      facts: { error: { code: 'bad_pattern' } },
    });
    expect(await mcp.call('wait', { session: 's1', for: 'text' })).toMatchObject({
      facts: { error: { code: 'bad_request' } },
    });
    agent.vanishes();
    await expect
      .poll(() => mcp.facts('list_sessions', {}))
      .toMatchObject({
        machine: 'offline',
        sessions: [{ id: 's1' }],
      });
    expect(await mcp.call('run', { session: 's1', command: 'make' })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^agent_offline: /),
      facts: { error: { code: 'agent_offline', message: expect.stringMatching(/\.$/) } },
    });
  });

  it(
    '[A2] tells the caller that the call goes on, and ends the wait when the caller cancels',
    IN_TURN,
    async ({ expect }) => {
      agent.run = undefined;
      const told: number[] = [];
      const cancel = new AbortController();
      const call = mcp.call(
        'run',
        { session: 's1', command: 'make' },
        {
          signal: cancel.signal,
          onprogress: ({ progress }) => {
            told.push(progress);
            cancel.abort();
          },
        },
      );
      await expect(call).rejects.toThrow();
      expect(told).toEqual([5]);
      // Whoever waited is gone, or waits no longer: the next call is served.
      agent.ends();
      expect(await mcp.facts('run', { session: 's1', command: 'make' })).toMatchObject({ state: 'done' });
    },
  );
});

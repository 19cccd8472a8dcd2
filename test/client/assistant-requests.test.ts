/** What a program does with a session for a person, against a scripted relay. */
import { describe, expect, it } from 'vitest';
import { ANSWER_SLACK_MS } from '../../client/requests/repeated-request.ts';
import { AWAIT_MAX_MS } from '../../protocol/limits.ts';
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
import { ABLE, DONE, ends, runs, WAIT_MS } from './run-story.ts';

startsClients();

/** The client's connection breaks, and the next one is accepted. */
async function reconnects(afterMs = 1_000): Promise<void> {
  network.latest.cut();
  clock.advance(afterMs);
  connects(1, 'online', ABLE);
  await flushed();
}

describe('[A1] a run', () => {
  it('[AS1] asks the agent, and resolves with what became of the command', async () => {
    connects(1, 'online', ABLE);
    const done = runs();
    await flushed();
    expect(asked('run_command')).toEqual({
      ...{ type: 'run_command', request: expect.any(String), session: 's1', command: 'exit 3' },
      ...{ act: 'act-1', epoch: 'epoch-1', actor: 'Codex', waitMs: WAIT_MS },
    });
    ends();
    expect(await done).toEqual(DONE);
  });

  it('[AS1] asks again with the same act and the time that is left, after reconnects of either link', async () => {
    connects(1, 'online', ABLE);
    const done = runs();
    await flushed();
    const first = asked('run_command');
    await reconnects();
    expect(asked('run_command')).toMatchObject({ act: 'act-1', command: 'exit 3', waitMs: WAIT_MS - 1_000 });
    expect(asked('run_command').request).not.toBe(first.request);
    agentIs('offline', 1);
    network.passes(clock, 4_000);
    agentIs('online', 2, ABLE);
    await flushed();
    expect(asked('run_command')).toMatchObject({ act: 'act-1', waitMs: WAIT_MS - 5_000 });
    // Another process of the agent, whose link has replaced the one before.
    agentIs('online', 3, ABLE);
    await flushed();
    ends();
    expect(await done).toEqual(DONE);
  });

  it('[AS1] asks without time to wait if the reconnect comes after it, and then gives up', async () => {
    connects(1, 'online', ABLE);
    const late = runs();
    await flushed();
    agentIs('offline', 1);
    network.passes(clock, WAIT_MS + 1_000);
    agentIs('online', 2, ABLE);
    await flushed();
    expect(asked('run_command')).toMatchObject({ waitMs: 0 });
    ends({ state: 'running', exitCode: null });
    expect((await late).state).toBe('running');
    const gone = settled(runs());
    await flushed();
    agentIs('offline', 2);
    network.passes(clock, WAIT_MS + ANSWER_SLACK_MS);
    expect(await gone).toBe('no answer');
  });

  it.each([false, true])('[AS1] is not repeated in another epoch (refused by it: %s)', async (isRefused) => {
    connects(1, 'online', ABLE);
    const done = settled(runs());
    await flushed();
    if (isRefused) await reconnects();
    const { request } = asked('run_command');
    if (isRefused) says({ type: 'error', code: 'agent_offline', message: 'restarted', request });
    agentIs('online', 2, { ...ABLE, epoch: 'epoch-2' });
    expect([await done, asked('run_command').request]).toEqual(['no answer', request]);
  });

  it('is refused while the machine is away, unless it may have arrived', async () => {
    connects(1, 'offline');
    expect(await settled(runs())).toBe('agent_offline');
    agentIs('online', 2, ABLE);
    const refused = settled(runs());
    await flushed();
    const offline = { type: 'error', code: 'agent_offline', message: 'Away.' } as const;
    says({ ...offline, request: asked('run_command').request });
    await flushed();
    network.passes(clock, 2_000);
    expect(await refused).toBe('agent_offline');
    const done = runs();
    await flushed();
    agentIs('online', 3, ABLE);
    await flushed();
    // The relay refuses the repeated one. The first one may have been run, so it is asked again.
    const { request } = asked('run_command');
    says({ ...offline, request });
    await flushed();
    expect(asked('run_command').request).toBe(request);
    agentIs('online', 4, ABLE);
    await flushed();
    ends();
    expect(await done).toEqual(DONE);
  });

  it('waits for a connection that is being made', async () => {
    const done = runs();
    await flushed();
    connects(1, 'online', ABLE);
    await flushed();
    ends();
    expect(await done).toEqual(DONE);
  });

  it.each([
    'shell_busy',
    'keyboard_busy',
    'taken_over',
    'input_conflict',
    'slow_down',
    'session_missing',
  ] as const)('is refused with %s', async (code) => {
    connects(1, 'online', ABLE);
    const done = settled(runs());
    await flushed();
    says({ type: 'error', code, message: 'No.', request: asked('run_command').request, session: 's1' });
    expect(await done).toBe(code);
  });

  it('has no answer when the client leaves', async () => {
    connects(1, 'online', ABLE);
    const done = settled(runs());
    await flushed();
    client.leave();
    expect([await done, await settled(runs())]).toEqual(['no answer', 'no answer']);
  });

  it('has no answer when the agent gives none in time', async () => {
    connects(1, 'online', ABLE);
    const done = settled(runs());
    await flushed();
    network.passes(clock, WAIT_MS + ANSWER_SLACK_MS);
    expect(await done).toBe('no answer');
  });

  it('lasts longer than an agent waits at once', async () => {
    connects(1, 'online', ABLE);
    const done = runs(AWAIT_MAX_MS + 60_000);
    await flushed();
    expect(asked('run_command').waitMs).toBe(AWAIT_MAX_MS);
    for (let minutes = 0; minutes < AWAIT_MAX_MS / 60_000; minutes++) {
      network.passes(clock, 60_000);
      // The relay proves that it knows this connection. [CN8]
      says({ type: 'session_activity', session: 's2', bell: false });
    }
    ends({ state: 'running', exitCode: null });
    await flushed();
    expect(asked('run_command').waitMs).toBe(60_000);
    network.passes(clock, 60_000);
    ends({ state: 'running', exitCode: null });
    expect((await done).state).toBe('running');
  });

  it('is not asked again of an agent that answers at once', async () => {
    connects(1, 'online', ABLE);
    const done = runs(AWAIT_MAX_MS + 60_000);
    await flushed();
    ends({ state: 'running', exitCode: null });
    expect((await done).state).toBe('running');
  });
});

describe('an assistant', () => {
  it('[AS4] types a text once', async () => {
    connects(1, 'online', ABLE);
    const typed = client.assistant.typeText('s1', 'yes', { act: 'act-2', paste: true, withinMs: 10_000 });
    await flushed();
    expect(asked('type_text')).toMatchObject({ session: 's1', act: 'act-2', text: 'yes', paste: true });
    await reconnects();
    const { request, act } = asked('type_text');
    expect(act).toBe('act-2');
    says({ type: 'text_typed', request, session: 's1', offset: 12 });
    expect(await typed).toBe(12);
  });

  it('sends a signal, which is not repeated', async () => {
    connects(1, 'online', ABLE);
    const sent = client.assistant.signal('s1', 'SIGINT');
    says({
      type: 'session_signalled',
      request: asked('signal_session').request,
      session: 's1',
      program: 'vim',
    });
    expect(await sent).toBe('vim');
    const lost = settled(client.assistant.signal('s1', 'SIGTERM'));
    await reconnects();
    expect([await lost, asked('signal_session')]).toEqual(['no answer', undefined]);
  });
});

const COMMAND = {
  ...{ number: 2, commandLine: 'make', startedAt: '2026-11-17T10:00:00.000Z', durationMs: 9, exitCode: 0 },
  ...{ outputFrom: 50, outputTo: 60, verified: true },
};
const ATTENTION = { state: 'asks', text: 'Allow?', at: '2026-11-17T10:00:00.000Z', offset: 70 } as const;

describe('[A4] waiting for a session', () => {
  const wait = (what: 'command' | 'attention', waitMs = WAIT_MS, since?: number) =>
    client.assistant.awaitSession('s1', what, { waitMs, since });
  const happens = (more: object = {}, offset = 80) =>
    says({
      ...{ type: 'session_awaited', request: asked('await_session').request, session: 's1', offset },
      ...more,
    } as never);

  it('[AS5] resolves with the attention, asked for again after a reconnect', async () => {
    connects(1, 'online', ABLE);
    const waited = wait('attention');
    await flushed();
    await reconnects();
    expect(asked('await_session')).toMatchObject({ for: 'attention', waitMs: WAIT_MS - 1_000 });
    expect(asked('await_session')).not.toHaveProperty('since');
    happens({ attention: ATTENTION });
    expect(await waited).toEqual({ attention: ATTENTION, offset: 80 });
  });

  it('[AS5] resolves with a command that ends while the connection is lost: it waits from where it began', async () => {
    connects(1, 'online', ABLE);
    const waited = wait('command');
    await flushed();
    expect(asked('await_session')).toMatchObject({ for: 'command', waitMs: 0 });
    happens({}, 45);
    await flushed();
    expect(asked('await_session')).toMatchObject({ since: 45, waitMs: WAIT_MS });
    await reconnects();
    expect(asked('await_session')).toMatchObject({ since: 45, waitMs: WAIT_MS - 1_000 });
    happens({ command: COMMAND });
    expect(await waited).toEqual({ command: COMMAND, offset: 80 });
  });

  it('[AS5] begins where the caller says, and resolves with nothing after the time', async () => {
    connects(1, 'online', ABLE);
    const waited = wait('command', 1_000, 30);
    await flushed();
    expect(asked('await_session')).toMatchObject({ since: 30, waitMs: 1_000 });
    network.passes(clock, 1_000);
    happens();
    expect(await waited).toEqual({ offset: 80 });
  });
});

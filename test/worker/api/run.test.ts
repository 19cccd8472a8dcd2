/** Running commands over HTTP: what the agent is asked, and how its answers are passed on. */
import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { beforeEach, describe, expect, it } from 'vitest';
import { actName } from '../../../client/requests/act-name.ts';
import { ACTOR_MAX_CHARS, AWAIT_MAX_MS, TYPED_TEXT_MAX_CHARS } from '../../../protocol/limits.ts';
import type { ClientMessage } from '../../../protocol/messages/client-message.ts';
import type { RunState } from '../../../protocol/messages/run-state.ts';
import { runAnswerSchema } from '../../../worker/api/request/schemas.ts';
import { ApiClient } from '../../support/api-client.ts';
import { connectAgent } from '../../support/relay-story.ts';
import { restOf } from '../../support/rest-of.ts';
import type { ScriptedPeer } from '../../support/scripted-peer.ts';
import { sessionInfo } from '../../support/scripted-session.ts';
import { sharedRelays } from '../../support/shared-relays.ts';
import type { TestRelay } from '../../support/test-relay.ts';

const relays = sharedRelays();

let relay: TestRelay;
let agent: ScriptedPeer;
let api: ApiClient;
beforeEach(async () => {
  relay = await relays.onWorkerd();
  agent = await connectAgent(relay);
  api = await ApiClient.of(relay);
});

interface Asked {
  readonly type: 'from_client';
  readonly channel: number;
  readonly message: ClientMessage & Readonly<Record<string, unknown>> & { readonly request: string };
  readonly [field: string]: unknown;
}

const asked = () => agent.message<Asked>('from_client');

function tells({ channel, message: { request } }: Asked, told: object): void {
  agent.send({ type: 'to_client', channel, message: { request, session: 's1', ...told } });
}

const DONE: RunState = {
  ...{ state: 'done', exitCode: 3, durationMs: 5, output: 'hi\n', omittedBytes: 0, offset: 40 },
  ...{ cwd: '/srv', command: 7 },
};

const ends = (request: Asked, state: Partial<RunState> = {}) =>
  tells(request, { type: 'run_state', run: { ...DONE, ...state } });

const run = (body: object = {}, headers: Record<string, string> = {}) =>
  api.ask('POST', '/sessions/s1/run', { command: 'exit 3', ...body }, headers);

/** The agent's link breaks, and another one has taken over. */
async function replaceAgent(options: Parameters<typeof connectAgent>[1] = {}): Promise<void> {
  const next = await connectAgent(relay, options);
  agent.terminate();
  agent = next;
}

describe('[A1] a run over HTTP', () => {
  it('[AS1] asks the agent to wait for 50 s, and answers what became of the command', async () => {
    const waitMs = restOf(50_000);
    const answer = run();
    const request = await asked();
    expect(request.message).toMatchObject({ type: 'run_command', command: 'exit 3', waitMs });
    expect(request.message).not.toHaveProperty('actor');
    ends(request);
    const { status, body } = await answer;
    expect([status, body]).toEqual([200, DONE]);
    expect(v.is(runAnswerSchema, body)).toBe(true);
  });

  it('[A3] [AS4] is that of the same assistant for all requests of a token, input too', async () => {
    const holders: unknown[] = [];
    const second = await ApiClient.of(relay);
    for (const by of [api, api, second]) {
      const answer = by.ask('POST', '/sessions/s1/run', { command: 'true' });
      const request = await asked();
      holders.push(request.message.holder);
      ends(request);
      await answer;
    }
    const typed = api.type('s1', 'yes');
    const attach = await asked();
    holders.push(attach.message.holder);
    expect(attach.message).toMatchObject({ type: 'reattach_session', isScript: true });
    tells(attach, { type: 'error', code: 'keyboard_busy', message: 'Codex has the keyboard.' });
    expect(await typed).toMatchObject({ status: 409, body: { error: { code: 'keyboard_busy' } } });
    const [own] = holders;
    expect(holders).toEqual([own, own, expect.not.stringMatching(`^${own}$`), own]);
    expect(own).toMatch(/^[\w-]{43}$/);
  });

  it('waits for as long as it is told, in the name that it is told', async () => {
    const waitMs = restOf(AWAIT_MAX_MS);
    const answer = run({ timeoutMs: AWAIT_MAX_MS, actor: 'Codex' });
    const request = await asked();
    expect(request.message).toMatchObject({ waitMs, actor: 'Codex' });
    ends(request, { state: 'running', exitCode: null, program: 'make' });
    expect((await answer).body).toMatchObject({ state: 'running', program: 'make' });
  });

  it.each(['needs_input', 'taken_over'] as const)(
    'answers %s as a state of a run that was begun',
    async (state) => {
      const answer = run();
      ends(await asked(), { state, exitCode: null, guessed: true, by: 'Ada' });
      expect(await answer).toMatchObject({ status: 200, body: { state, by: 'Ada' } });
    },
  );

  it.each([
    ['shell_busy', 409],
    ['keyboard_busy', 409],
    ['taken_over', 409],
    ['session_exited', 409],
    ['input_conflict', 422],
    ['session_missing', 404],
    ['slow_down', 429],
    ['unsupported', 501],
  ])('is refused with %s: %s', async (code, status) => {
    const answer = run();
    tells(await asked(), { type: 'error', code, message: 'vim is running.' });
    expect(await answer).toMatchObject({ status, body: { error: { code, message: 'vim is running.' } } });
  });

  it('[AS1] derives the act from the Idempotency-Key, as the command line does', async () => {
    const acts: string[] = [];
    for (const key of ['k1', 'k1', 'k2']) {
      const answer = run({}, { 'Idempotency-Key': key });
      const request = await asked();
      acts.push(String(request.message.act));
      ends(request);
      await answer;
    }
    const expected = (key: string) => createHash('sha256').update(actName('s1', key)).digest('base64url');
    expect(acts).toEqual([expected('k1'), expected('k1'), expected('k2')]);
    const [one, two] = [run(), run()];
    const others = [await asked(), await asked()];
    for (const request of others) ends(request);
    await Promise.all([one, two]);
    expect(new Set([...acts, ...others.map(({ message }) => String(message.act))]).size).toBe(4);
  });

  it('[AS1] goes on with the same act when the link of the machine is replaced', async () => {
    const answer = run();
    const first = await asked();
    await replaceAgent();
    const again = await asked();
    expect(again.message).toMatchObject({ type: 'run_command', act: first.message.act, command: 'exit 3' });
    ends(again);
    expect((await answer).body).toEqual(DONE);
  });

  it.each([
    ['without a key', {}, /check before you try again/],
    ['with a key', { 'Idempotency-Key': 'k' }, /same Idempotency-Key/],
  ])('[AS1] has an unknown outcome in another epoch, %s', async (_, headers, says) => {
    const answer = run({}, headers as Record<string, string>);
    await asked();
    await replaceAgent({ epoch: 'epoch-2', sessions: [sessionInfo('s1', { epoch: 'epoch-2' })] });
    const { status, body } = await answer;
    expect([status, body]).toMatchObject([504, { error: { code: 'unknown_outcome' } }]);
    expect(JSON.stringify(body)).toMatch(says);
  });

  it('[RL30] is refused with 501 for an agent that cannot', async () => {
    await replaceAgent({ can: [] });
    const { body, status } = await run();
    expect([status, body]).toMatchObject([501, { error: { code: 'unsupported' } }]);
  });

  it('is refused with 503 while the machine is away', async () => {
    agent.terminate();
    await expect
      .poll(async () => (await api.ask<{ agent: { state: string } }>('GET', '/health')).body.agent.state)
      .toBe('offline');
    expect(await run()).toMatchObject({ status: 503, body: { error: { code: 'agent_offline' } } });
  });

  it('answers 502 for what cannot be an answer', async () => {
    const answer = run();
    tells(await asked(), { type: 'text_typed', offset: 1 });
    expect(await answer).toMatchObject({ status: 502, body: { error: { code: 'bad_agent' } } });
  });

  it.each([
    ['no command', { command: undefined }],
    ['an empty command', { command: '' }],
    ['a command that is too long', { command: 'x'.repeat(TYPED_TEXT_MAX_CHARS + 1) }],
    ['a time that is too long', { timeoutMs: AWAIT_MAX_MS + 1 }],
    ['a part of a millisecond', { timeoutMs: 0.5 }],
    ['a name that is too long', { actor: 'x'.repeat(ACTOR_MAX_CHARS + 1) }],
    ['an unknown field', { shell: 'zsh' }],
  ])('is refused with %s', async (_, body) => {
    expect(await run(body)).toMatchObject({ status: 400, body: { error: { code: 'bad_request' } } });
  });

  it('is refused with a key that is too long', async () => {
    expect((await run({}, { 'Idempotency-Key': 'k'.repeat(256) })).status).toBe(400);
  });
});

describe('[A1] a signal over HTTP', () => {
  const signal = (name: string) => api.ask('POST', '/sessions/s1/signal', { signal: name });

  it('is sent to the program in the foreground, which is named', async () => {
    const answer = signal('SIGINT');
    const request = await asked();
    expect(request.message).toMatchObject({ type: 'signal_session', session: 's1', signal: 'SIGINT' });
    tells(request, { type: 'session_signalled', program: 'make' });
    expect(await answer).toMatchObject({ status: 200, body: { program: 'make' } });
  });

  it('is not repeated: its outcome is unknown when the link is replaced', async () => {
    const answer = signal('SIGTERM');
    await asked();
    await replaceAgent();
    expect(await answer).toMatchObject({ status: 504, body: { error: { code: 'unknown_outcome' } } });
  });

  it('is refused if there is no such signal', async () => {
    expect((await signal('SIGSTOP')).status).toBe(400);
  });
});

const COMMAND = {
  ...{ number: 2, commandLine: 'make', startedAt: '2026-11-17T10:00:00.000Z', durationMs: 9, exitCode: 0 },
  ...{ outputFrom: 50, outputTo: 60, verified: true },
};
const ATTENTION = { state: 'asks', text: 'Allow?', at: '2026-11-17T10:00:00.000Z', offset: 70 };

describe('[A4] waiting over HTTP', () => {
  const wait = (query: string, by = api) => by.ask('GET', `/sessions/s1/wait?${query}`);

  it('[AS5] for attention is answered with it', async () => {
    const waitMs = restOf(2_500);
    const answer = wait('for=attention&timeout=2.5');
    const request = await asked();
    expect(request.message).toMatchObject({ type: 'await_session', for: 'attention', waitMs });
    tells(request, { type: 'session_awaited', attention: ATTENTION, offset: 80 });
    expect(await answer).toMatchObject({ status: 200, body: { attention: ATTENTION, offset: 80 } });
  });

  it('[AS5] for a command goes on from the offset, also when the link is replaced', async () => {
    const viewer = await ApiClient.of(relay, 'viewer');
    const answer = wait('for=command&since=45', viewer);
    expect((await asked()).message).toMatchObject({ for: 'command', since: 45 });
    await replaceAgent();
    const again = await asked();
    expect(again.message).toMatchObject({ for: 'command', since: 45 });
    tells(again, { type: 'session_awaited', command: COMMAND, offset: 80 });
    expect(await answer).toMatchObject({ status: 200, body: { command: COMMAND, offset: 80 } });
  });

  it('[AS5] is answered with 408 and where to go on when nothing happened', async () => {
    const answer = wait('for=command&since=45&timeout=0');
    tells(await asked(), { type: 'session_awaited', offset: 80 });
    const { status, body } = await answer;
    expect([status, body]).toMatchObject([408, { error: { code: 'timeout' } }]);
    expect(JSON.stringify(body)).toContain('since=80');
  });

  it('[RL30] is refused with 501 for an agent that cannot', async () => {
    await replaceAgent({ can: ['run'] });
    expect((await wait('for=attention')).status).toBe(501);
  });
});

describe('[A6] a digest over HTTP', () => {
  const digest = (by = api, since = '2026-11-17T10:00:00.000Z') =>
    by.ask('GET', `/digest?${new URLSearchParams({ since })}`);
  const SESSION = {
    ...{ session: 's1', name: 'build', finished: 3, failed: 1, commands: [COMMAND] },
    ...{ printedBytes: 2_100_000, attention: ATTENTION },
  };

  it('[AS7] is joined from its pages, also for a viewer', async () => {
    const answer = digest(await ApiClient.of(relay, 'viewer'));
    const { channel, message } = await asked();
    expect(message).toMatchObject({ type: 'read_digest', since: '2026-11-17T10:00:00.000Z' });
    const page = (sessions: object[], more: boolean) =>
      agent.send({
        ...{ type: 'to_client', channel },
        message: { type: 'digest', request: message.request, sessions, more },
      });
    page([SESSION], true);
    page([{ ...SESSION, session: 's2' }], false);
    const { status, body } = await answer;
    expect([status, body]).toEqual([200, { sessions: [SESSION, { ...SESSION, session: 's2' }] }]);
  });

  it.each(['', 'yesterday', '2026-11-17'])('is refused without a time: %s', async (since) => {
    expect((await digest(api, since)).status).toBe(400);
  });
});

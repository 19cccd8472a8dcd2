/** `holdfast run`, `wait --command`, `wait --attention`, `digest` and `notify`, with a scripted relay. */
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { dispatchCommand } from '../../../cli/commands/command-dispatch.ts';
import { notification } from '../../../cli/commands/notify-command.ts';
import { actName } from '../../../client/requests/act-name.ts';
import { TYPED_TEXT_MAX_CHARS } from '../../../protocol/limits.ts';
import type { ClientMessage, ClientMessageOf } from '../../../protocol/messages/client-message.ts';
import { HostileRelay, ONLINE } from '../../support/hostile-relay.ts';
import { sessionInfo } from '../../support/scripted-session.ts';

const said = { out: '', err: '' };
beforeEach(() => {
  Object.assign(said, { out: '', err: '' });
  vi.spyOn(console, 'log').mockImplementation((text) => {
    said.out += `${text}\n`;
  });
  vi.spyOn(console, 'error').mockImplementation((text) => {
    said.err += `${text}\n`;
  });
  vi.stubEnv('HOLDFAST_TOKEN', 'x.y.z');
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const DONE = {
  ...{ state: 'done', exitCode: 3, durationMs: 5, output: 'one\ntwo\n', omittedBytes: 0, offset: 40 },
  ...{ cwd: '/srv', command: 7 },
};

const COMMAND = {
  ...{ number: 2, commandLine: 'make', startedAt: '2026-11-17T10:00:00.000Z', durationMs: 9, exitCode: 4 },
  ...{ outputFrom: 50, outputTo: 60, verified: true },
};
const ATTENTION = { state: 'asks', text: 'Allow?', at: '2026-11-17T10:00:00.000Z', offset: 70 };

type Answer = (message: ClientMessage) => object | undefined;

/** Runs a command against a relay with the session `s1`, named `build`; resolves with the exit code and what was asked. */
async function holdfast(args: string[], answer: Answer = () => undefined, agent: object = {}) {
  const asked: ClientMessage[] = [];
  const told = (message: ClientMessage): object | undefined => {
    const { request } = message as { request: string };
    if (message.type === 'list_sessions')
      return {
        type: 'session_list',
        request,
        agent: ONLINE,
        sessions: [sessionInfo('s1', { name: 'build' })],
      };
    if (message.type === 'create_session')
      return { type: 'session_created', request, session: sessionInfo('s2') };
    if (message.type === 'close_session')
      return { type: 'session_closed', session: message.session, reason: 'closed' };
    const given = answer(message);
    return given === undefined ? undefined : { request, session: 's1', ...given };
  };
  using relay = await HostileRelay.answering(
    (message) => {
      asked.push(message);
      const given = told(message);
      return given === undefined ? [] : [given];
    },
    { ...ONLINE, can: ['run', 'attention', 'digest'], ...agent },
  );
  const address = ['--relay', relay.url, '--workspace', 'w'];
  const cut = args.indexOf('--');
  const all = cut === -1 ? [...args, ...address] : [...args.slice(0, cut), ...address, ...args.slice(cut)];
  const code = await dispatchCommand(all);
  return {
    code,
    asked,
    of: <T extends ClientMessage['type']>(type: T) =>
      asked.filter((one) => one.type === type) as ClientMessageOf<T>[],
  };
}

const ends =
  (state: object = {}): Answer =>
  (message) =>
    message.type === 'run_command' ? { type: 'run_state', run: { ...DONE, ...state } } : undefined;

describe('[A1] holdfast run', () => {
  it('prints what was printed, and exits with the exit code', async () => {
    const { code, of } = await holdfast(['run', 'build', 'exit 3'], ends());
    expect([code, said]).toEqual([3, { out: 'one\ntwo\n', err: '' }]);
    expect(of('run_command')).toMatchObject([{ session: 's1', command: 'exit 3', waitMs: 240_000 }]);
  });

  it.each([
    [['run', 'build', '--', 'echo', 'a b'], "echo 'a b'"],
    [['run', '--', 'make && echo done'], 'make && echo done'],
    [['run', 'build', '--', 'ls', '-la', '--help'], 'ls -la --help'],
  ])('%s runs %s', async (args, command) => {
    const { of } = await holdfast(args, ends());
    expect(of('run_command')).toMatchObject([{ session: 's1', command }]);
  });

  it('waits for as long as it is told, in the name that it is told, once for a key', async () => {
    const key = createHash('sha256').update(actName('s1', 'k')).digest('base64url');
    const options = ['--timeout', '1.5', '--actor', 'Codex', '--key', 'k'];
    const first = await holdfast(['run', 'build', 'true', ...options], ends({ exitCode: 0 }));
    const [run] = first.of('run_command');
    expect(run).toMatchObject({ act: key, actor: 'Codex' });
    expect(run?.waitMs).toBeLessThanOrEqual(1_500);
    const [other] = (await holdfast(['run', 'build', 'true'], ends())).of('run_command');
    expect(other?.act).not.toBe(key);
    expect(other?.holder, 'the same user').toBe(run?.holder);
  });

  it('prints the state as JSON', async () => {
    await holdfast(['run', 'build', 'true', '--json'], ends());
    expect(JSON.parse(said.out)).toEqual({ session: 's1', ...DONE });
  });

  it.each([
    ['running', 124, /still running after 5 s; `holdfast wait build --command --since 40`/],
    ['needs_input', 74, /waits for input/],
    ['taken_over', 74, /somebody has taken the keyboard/],
  ])('exits when it is %s with %s, and says why', async (state, expected, says) => {
    const { code } = await holdfast(
      ['run', 'build', 'make', '--timeout', '5'],
      ends({ state, exitCode: null }),
    );
    expect([code, said.out, said.err]).toEqual([expected, 'one\ntwo\n', expect.stringMatching(says)]);
  });

  it.each(['shell_busy', 'keyboard_busy', 'taken_over'])(
    'exits with 73 if nothing is run because of %s',
    async (refusal) => {
      const { code } = await holdfast(['run', 'build', 'make'], () => ({
        ...{ type: 'error', code: refusal, message: 'In the foreground is vim.' },
      }));
      expect([code, said]).toEqual([73, { out: '', err: 'holdfast run: In the foreground is vim.\n' }]);
    },
  );

  it('says that an agent is too old', async () => {
    const { code } = await holdfast(['run', 'build', 'make'], ends(), { can: [] });
    expect([code, said.err]).toEqual([1, expect.stringMatching(/too old/)]);
  });

  it('--new runs in a new session, which is closed when the command has ended, and only then', async () => {
    const done = await holdfast(['run', '--new', '--cwd', '/srv', '--', 'make', 'all'], ends());
    expect(done.of('create_session')).toMatchObject([{ cwd: '/srv' }]);
    expect(done.of('run_command')).toMatchObject([{ session: 's2', command: 'make all' }]);
    expect(done.of('close_session')).toMatchObject([{ session: 's2' }]);
    const running = await holdfast(['run', '--new', 'make all'], ends({ state: 'running', exitCode: null }));
    expect(running.of('close_session')).toEqual([]);
    const busy = await holdfast(['run', '--new', 'make'], () => ({
      ...{ type: 'error', code: 'shell_busy', message: 'It shows no prompt.' },
    }));
    expect(busy.of('close_session')).toHaveLength(1);
  });

  it('[SEC19] prints nothing that a terminal obeys', async () => {
    const evil = '\x1b]0;x\x07\x1b[2J\u202e';
    const state = { state: 'running', output: evil, program: evil, by: evil, cwd: evil, exitCode: null };
    await holdfast(['run', 'build', 'make'], ends(state));
    await holdfast(['run', 'build', 'make', '--json'], ends(state));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what must not reach a terminal
    expect(said.out + said.err).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
  });

  it('an exit code that the system would cut to success is 1', async () => {
    expect((await holdfast(['run', 'build', 'x'], ends({ exitCode: 256 }))).code).toBe(1);
  });

  it.each([
    [['run'], /no command given/],
    [['run', 'build'], /no command given; try `holdfast run build -- make test`/],
    [['run', 'build', 'make', 'test'], /quote the command line/],
    [['run', 'build', 'make', '--', 'test'], /given twice/],
    [['run', 'build', ' '], /no command given/],
    [['run', 'build', 'x'.repeat(TYPED_TEXT_MAX_CHARS + 1)], /over 4096 characters/],
    [['run', '--new', '--key', 'k', 'make'], /--key needs a session/],
    [['run', 'build', '--cwd', '/', 'make'], /--cwd needs --new/],
    [['run', 'build', '--actor', '', 'make'], /--actor needs/],
    [['run', 'build', '--timeout', 'soon', 'make'], /--timeout needs/],
    [['wait', 'build', '--command', '--attention'], /wait for one thing/],
    [['wait', 'build', '--command', '--text', 'x'], /wait for one thing/],
    [['wait', 'build', '--since', '4'], /--since needs --command or --attention/],
    [['wait', 'build', '--command', '--since', 'now'], /--since needs an offset/],
    [['digest', '--since', 'yesterday'], /--since needs a time/],
    [['notify'], /no text given/],
    [['notify', '\x1b'], /no text given/],
  ])('%s exits with 2 and one sentence', async (args, says) => {
    expect(await dispatchCommand([...args])).toBe(2);
    expect(said.err).toMatch(says);
  });
});

describe('[A4] holdfast wait', () => {
  const happens =
    (more: object): Answer =>
    (message) =>
      message.type === 'await_session' ? { type: 'session_awaited', offset: 80, ...more } : undefined;

  it('--command exits with the exit code of the command', async () => {
    const { code, of } = await holdfast(
      ['wait', 'build', '--command', '--since', '45'],
      happens({ command: COMMAND }),
    );
    expect([code, said]).toEqual([4, { out: '', err: '' }]);
    expect(of('await_session')).toMatchObject([{ for: 'command', since: 45 }]);
  });

  it('--attention prints why', async () => {
    const { code } = await holdfast(['wait', 'build', '--attention'], happens({ attention: ATTENTION }));
    expect([code, said.out]).toEqual([0, expect.stringMatching(/^asks since .*: Allow\?\n$/)]);
    await holdfast(['wait', 'build', '--attention', '--json'], happens({ attention: ATTENTION }));
    expect(JSON.parse(said.out.split('\n')[1] ?? '')).toEqual({ attention: ATTENTION, offset: 80 });
  });

  it('exits with 124 when nothing happened', async () => {
    const { code } = await holdfast(
      ['wait', 'build', '--command', '--since', '4', '--timeout', '1'],
      happens({}),
    );
    expect([code, said.err]).toEqual([
      124,
      expect.stringMatching(/no command has ended in build .*--since 80/),
    ]);
  });
});

describe('[A6] holdfast digest', () => {
  const SESSION = { session: 's1', name: 'build', finished: 2, failed: 0, commands: [], printedBytes: 0 };
  const answer =
    (sessions: object[]): Answer =>
    (message) =>
      message.type === 'read_digest' ? { type: 'digest', sessions } : undefined;

  it('prints what happened since then', async () => {
    const { code, of } = await holdfast(['digest', '--since', '2026-11-16T12:00:00Z'], answer([SESSION]));
    expect([code, said.out]).toEqual([0, 'build: 2 commands finished\n']);
    expect(of('read_digest')).toMatchObject([{ since: '2026-11-16T12:00:00.000Z' }]);
  });

  it('says that nothing did, and prints JSON', async () => {
    await holdfast(['digest'], answer([]));
    expect(said).toEqual({ out: '', err: 'holdfast: nothing has happened since then\n' });
    await holdfast(['digest', '--json'], answer([SESSION]));
    expect(JSON.parse(said.out)).toEqual({ sessions: [SESSION] });
  });
});

describe('[A4] holdfast notify', () => {
  it('writes a notification, wrapped for tmux and screen', () => {
    expect(notification('ready; go', {})).toBe('\x1b]777;notify;;ready; go\x07');
    expect(notification('ready', { TMUX: '/tmp/tmux' })).toBe(
      '\x1bPtmux;\x1b\x1b]777;notify;;ready\x07\x1b\\',
    );
    expect(notification('ready', { STY: '1.pts' })).toBe('\x1bP\x1b]777;notify;;ready\x07\x1b\\');
  });
});

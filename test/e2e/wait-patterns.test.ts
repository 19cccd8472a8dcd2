/** One pattern language: the same patterns over HTTP and on the command line, with the same outcome. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '../support/api-client.ts';
import { holdfast } from '../support/holdfast-command.ts';
import { World } from '../support/world.ts';

let world: World;
let api: ApiClient;
let env: Record<string, string>;
/** A session whose program has printed something and ended. */
let ended: string;

const OUTPUT = String.raw`\033[1;32mbuild \033[0m#42 ok\r\n10%%\r20%%\r\na   b\r\nlast line`;

beforeAll(async () => {
  world = await World.open();
  api = await world.api();
  env = {
    HOLDFAST_RELAY: world.relay.url.href,
    HOLDFAST_WORKSPACE: world.relay.workspace,
    HOLDFAST_TOKEN: await world.relay.token('viewer'),
  };
  ended = (await api.create({ args: ['-c', `printf '${OUTPUT}'`] })).id;
  await api.ask('GET', `/sessions/${ended}/wait?for=exit`);
});
afterAll(() => world?.[Symbol.asyncDispose]());

/** What a wait for a pattern ends with: the line, nothing, or why the pattern is refused. */
type Outcome = { readonly text: string } | 'never printed' | { readonly refused: string };

async function overHttp(id: string, pattern: string): Promise<Outcome> {
  const query = new URLSearchParams({ for: 'text', pattern, timeout: '20' });
  const { status, body } = await api.ask('GET', `/sessions/${id}/wait?${query}`);
  if (status === 200) return body as { text: string };
  if (status === 409) return 'never printed';
  const { code, message } = (body as { error: { code: string; message: string } }).error;
  expect([status, code]).toEqual([400, 'bad_pattern']);
  return { refused: /^The pattern cannot be used: (.+)\.$/.exec(message)?.[1] ?? message };
}

async function onTheCommandLine(id: string, pattern: string): Promise<Outcome> {
  const { code, out, err } = await holdfast(['wait', id, '--text', pattern, '--timeout', '20', '--json'], {
    env,
  });
  if (code === 0) return JSON.parse(out) as { text: string };
  if (code === 1) return 'never printed';
  expect(code).toBe(2);
  return { refused: /can be searched for: (.+)$/m.exec(err)?.[1] ?? err };
}

const refused = (why: string) => ({ refused: expect.stringContaining(why) });

describe.concurrent('a pattern means the same over HTTP and on the command line', () => {
  it.each([
    ['^build #\\d+ (ok|failed)$', { text: 'build #42 ok' }],
    ['#\\d{2}', { text: 'build #42' }],
    ['^20%', { text: '20%' }],
    ['a {3}b', { text: 'a   b' }],
    ['[^ ]b\\nlast', 'never printed'],
    [' b\\nlast', { text: 'last' }],
    ['(?:no|last) line', { text: 'last line' }],
    ['BUILD', 'never printed'],
    ['(', refused('unmatched (')],
    ['(b)\\1', refused('\\1 is not supported')],
    ['\\bbuild', refused('\\b is not supported')],
    ['(?=build)', refused('look-around and named groups are not supported; use ( )')],
    ['bu.*?ld', refused('leave it out after another repetition')],
    ['\\p{L}', refused('\\p is not supported')],
    ['x*', refused('let it need at least one character')],
    ['a{300}', refused('shorten it')],
  ] satisfies [string, unknown][])('[R2] %s', async (pattern, outcome) => {
    expect(await overHttp(ended, pattern)).toEqual(outcome);
    expect(await onTheCommandLine(ended, pattern)).toEqual(outcome);
  });

  it('[R2] also in what is printed later, cut anywhere', async ({ expect }) => {
    const script = `read x; printf '\\033[1;3'; sleep 0.1; printf '1mla'; sleep 0.1; printf 'ter\\n'; read y`;
    const { id } = await api.create({ args: ['-c', script] });
    const outcomes = [overHttp(id, '^later$'), onTheCommandLine(id, '^later$')];
    await expect.poll(async () => (await api.session(id)).attached).toBe(2);
    await api.type(id, '\n');
    expect(await Promise.all(outcomes)).toEqual([{ text: 'later' }, { text: 'later' }]);
  });
});

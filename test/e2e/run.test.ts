/** Commands that programs run in real shells, over real HTTP: how each ends, and that it is run once. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RUN_OUTPUT_MAX_CHARS } from '../../protocol/limits.ts';
import type { RunState } from '../../protocol/messages/run-state.ts';
import type { ApiClient } from '../support/api-client.ts';
import { hasProc, unlessProc } from '../support/needs-proc.ts';
import { onPath, unlessMissing } from '../support/on-path.ts';
import { World } from '../support/world.ts';

const dir = mkdtempSync(join(tmpdir(), 'holdfast-run-'));
const inDir = (name: string) => join(dir, name);

let world: World;
let api: ApiClient;
beforeAll(async () => {
  // Without it, zsh asks a new user what it should contain.
  writeFileSync(inDir('.zshrc'), 'PS1="zsh> "\n');
  const ask = `stty -echo; printf 'Password: '; read -r answer; stty echo; echo; echo "it has \${#answer} letters"\n`;
  writeFileSync(inDir('ask'), ask);
  world = await World.open({ home: dir });
  api = await world.api();
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true, force: true });
});

/** Without the questions that it asks of its terminal: it may end before they are answered, and the shell gets the rest. */
const VIM = `vim -u NONE --cmd 'set t_RV= t_u7= t_RB= t_RF= t_RC= t_RS=' ${inDir('note')}`;

let keys = 0;
const newKey = () => ({ 'Idempotency-Key': `key-${++keys}` });

const ask = (id: string, command: string, more: object = {}, headers: Record<string, string> = {}) =>
  api.ask<RunState & { error?: { code: string; message: string } }>(
    'POST',
    `/sessions/${id}/run`,
    { command, ...more },
    headers,
  );

async function run(id: string, command: string): Promise<RunState> {
  const { status, body } = await ask(id, command);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}

const SHELLS = ['bash', 'zsh', 'fish', 'sh'].map((shell) => ({ shell, path: onPath(shell) }));

describe.skipIf(!hasProc).each(SHELLS)(`[A1] a run in $shell${unlessProc}`, ({ shell, path }) => {
  const test = it.skipIf(path === undefined);
  const unless = unlessMissing(shell, path);
  const isFish = shell === 'fish';

  let id = '';
  beforeEach(async () => {
    if (id === '' && path !== undefined)
      id = (await api.create({ command: shell, cwd: dir, env: { PS1: `${shell}> ` } })).id;
  });

  test(`[AS1] [AS2] [AS3] tells how each command ended, and what it printed${unless}`, async () => {
    const table: [command: string, exitCode: number, output: string | RegExp][] = [
      ['cd /usr', 0, ''],
      ['pwd', 0, '/usr'],
      ['export COLOUR=blue', 0, ''],
      ['echo "the sky is $COLOUR"', 0, 'the sky is blue'],
      ["printf 'b\\na\\n' | sort", 0, 'a\nb'],
      ['true | false', 1, ''],
      ["sh -c 'exit 7'", 7, ''],
      ['no-such-command-here', 127, /no-such-command-here/],
      ['echo to stderr >&2', 0, 'to stderr'],
      ["printf 'no end of line'", 0, 'no end of line'],
      [`echo 'one  two' "it's"`, 0, "one  two it's"],
      ['echo one\necho two', 0, 'one\ntwo'],
      [`cd '${dir}'`, 0, ''],
      ...(isFish
        ? []
        : ([
            ["cat <<'END'\none $HOME\n  two\nEND", 0, 'one $HOME\n  two'],
            ['(exit 9)', 9, ''],
            ['for i in 1 2; do echo $i; done', 0, '1\n2'],
          ] as [string, number, string][])),
    ];
    for (const [command, exitCode, output] of table) {
      const ended = await run(id, command);
      expect(ended, command).toMatchObject({ state: 'done', exitCode, omittedBytes: 0 });
      if (typeof output === 'string') expect(ended.output, command).toBe(output);
      else expect(ended.output, command).toMatch(output);
    }
    expect((await run(id, 'cd /usr')).cwd).toBe('/usr');
    await run(id, `cd '${dir}'`);
  });

  test(`[AS3] has the beginning and the end of 10 MB${unless}`, async () => {
    const ended = await run(
      id,
      `echo first; head -c 10000000 /dev/zero | tr '\\0' x | fold -w 79; echo; echo last`,
    );
    expect(ended).toMatchObject({ state: 'done', exitCode: 0 });
    expect(ended.omittedBytes).toBeGreaterThan(9_900_000);
    expect(ended.output.length).toBeLessThanOrEqual(RUN_OUTPUT_MAX_CHARS);
    expect(ended.output).toMatch(/^first\nx{79}\n[\s\S]*x\nlast$/);
  });

  test(`[AS1] that does not end is running; the shell is busy until it is interrupted${unless}`, async () => {
    const key = newKey();
    const running = await ask(id, 'sleep 1000', { timeoutMs: 500 }, key);
    expect(running).toMatchObject({
      status: 200,
      body: { state: 'running', exitCode: null, program: 'sleep' },
    });
    const refused = await ask(id, 'echo no');
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'shell_busy' } } });
    expect(refused.body.error?.message).toMatch(/sleep/);
    const signalled = await api.ask('POST', `/sessions/${id}/signal`, { signal: 'SIGINT' });
    expect(signalled).toMatchObject({ status: 200, body: { program: 'sleep' } });
    const ended = await ask(id, 'sleep 1000', {}, key);
    // A shell without our script drops the whole line that it is interrupted in, with the mark of its end.
    const interrupted = shell === 'sh' ? { state: 'needs_input' } : { state: 'done', exitCode: 130 };
    expect(ended).toMatchObject({ status: 200, body: interrupted });
    expect((await run(id, 'echo yes')).output).toBe('yes');
  });

  test(`[AS1] needs input for a password, which the same caller types${unless}`, async () => {
    const key = newKey();
    const asks = await ask(id, `sh ${inDir('ask')}`, {}, key);
    expect(asks).toMatchObject({ status: 200, body: { state: 'needs_input', guessed: true } });
    expect(asks.body.output).toBe('Password:');
    expect(await api.type(id, 'hunter2\n')).toMatchObject({ status: 200 });
    const ended = await ask(id, `sh ${inDir('ask')}`, {}, key);
    expect(ended.body).toMatchObject({
      state: 'done',
      exitCode: 0,
      output: 'Password:\nit has 7 letters',
    });
  });

  test(`[AS1] of vim waits for keys${unless}${unlessMissing('vim', onPath('vim'))}`, async ({ skip }) => {
    if (onPath('vim') === undefined) return skip();
    const key = newKey();
    const open = await ask(id, VIM, { timeoutMs: 10_000 }, key);
    expect(open.body).toMatchObject({ state: 'needs_input', program: expect.stringMatching(/^vim/) });
    expect(await api.type(id, 'ihello\x1b')).toMatchObject({ status: 200 });
    expect(await api.type(id, ':wq\r')).toMatchObject({ status: 200 });
    const ended = await ask(id, VIM, {}, key);
    expect(ended.body).toMatchObject({ state: 'done', exitCode: 0 });
    expect(readFileSync(inDir('note'), 'utf8')).toBe('hello\n');
    rmSync(inDir('note'));
  });

  test(`[AS1] is run once for an Idempotency-Key, and not for another command${unless}`, async () => {
    const key = newKey();
    const file = inDir(`once-${shell}`);
    const command = `echo once >> ${file}; cat ${file}`;
    const first = await ask(id, command, {}, key);
    const again = await ask(id, command, {}, key);
    expect([first.status, again.status]).toEqual([200, 200]);
    expect([first.body.output, again.body]).toEqual(['once', first.body]);
    expect(await ask(id, 'echo other', {}, key)).toMatchObject({
      status: 422,
      body: { error: { code: 'input_conflict' } },
    });
    expect(readFileSync(file, 'utf8')).toBe('once\n');
  });

  test(`[AS2] of exit ends the shell, with its exit code, and is not run again${unless}`, async () => {
    const key = newKey();
    const ended = await ask(id, 'exit 3', {}, key);
    expect(ended).toMatchObject({ status: 200, body: { state: 'done', exitCode: 3 } });
    expect((await ask(id, 'exit 3', {}, key)).body).toMatchObject({ state: 'done', exitCode: 3 });
    expect(await ask(id, 'echo late')).toMatchObject({
      status: 409,
      body: { error: { code: 'session_exited' } },
    });
  });
});

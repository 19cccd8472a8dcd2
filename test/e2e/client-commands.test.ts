/**
 * Cases of the client commands that docs/cli.md does not show: other roles, an offline machine, programs that do not
 * read.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HeadlessClient } from '../support/headless-client.ts';
import { DeskTerminal, holdfast, type RunOptions } from '../support/holdfast-command.ts';
import { onPath, unlessMissing } from '../support/on-path.ts';
import { RecordingProgram } from '../support/recording-program.ts';
import { World } from '../support/world.ts';

let world: World;
let client: HeadlessClient;
let env: Record<string, string>;
const dir = mkdtempSync(join(tmpdir(), 'holdfast-client-'));
const run = (args: string[], options: RunOptions = {}) =>
  holdfast(args, { ...options, env: { ...env, ...options.env } });

beforeAll(async () => {
  world = await World.open();
  client = await world.client();
  env = {
    HOLDFAST_RELAY: world.relay.url.href,
    HOLDFAST_WORKSPACE: world.relay.workspace,
    HOLDFAST_TOKEN: await world.relay.token('operator'),
  };
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true });
});

describe('the client commands', () => {
  it('[IN3] send types bytes unchanged, once, and exits after the terminal took them', async () => {
    using program = await RecordingProgram.start(client);
    const text = 'ünï\x00\x1b[A'.repeat(2000);
    expect(await run(['send', program.id], { input: text })).toEqual({ code: 0, out: '', err: '' });
    await expect.poll(() => program.typed.length).toBe(Buffer.byteLength(text));
    expect(Buffer.from(program.typed, 'latin1').toString('utf8')).toBe(text);
  });

  it('send reports an unknown outcome if the program does not read', async () => {
    const { id } = await client.client.create({ cols: 80, rows: 24, command: 'sleep', args: ['60'] });
    const { code, err } = await run(['send', id, '--timeout', '1'], { input: 'x\n'.repeat(100_000) });
    expect([code, err]).toEqual([75, expect.stringMatching(/it is not known how much was typed/)]);
  });

  it('[X10] snapshot -f ansi prints no incomplete sequence of a program', async () => {
    const script = String.raw`printf 'shown \033[1mbold\033[0m \033]52;c;aGVsbG8='; exec sleep 60`;
    const { id } = await client.client.create({ cols: 80, rows: 24, command: 'sh', args: ['-c', script] });
    await expect.poll(async () => (await run(['snapshot', id])).out).toMatch(/shown bold/);
    const { out } = await run(['snapshot', id, '-f', 'ansi']);
    expect(out).toContain('bold');
    expect(out).not.toContain(']52');
    const { data } = JSON.parse((await run(['snapshot', id, '-f', 'ansi', '--json'])).out) as {
      data: string;
    };
    expect(data).toContain('\x1b]52;c;aGVsbG8=');
  });

  it('[X10] an error from the machine is printed as one printable line', async () => {
    const hostile = '/nowhere/\x1b]52;c;aGk=\x07\u202e\nforged';
    const { code, err } = await run(['new', '--cwd', hostile]);
    expect(code).toBe(1);
    expect(err).toMatch(/^[^\p{Cc}\u202e]+\n$/u);
  });

  it('new sets directory, variables and size', async () => {
    const made = await run([
      'new',
      '-n',
      'where',
      '--cwd',
      dir,
      '-e',
      'A=1',
      '--env',
      'B=x=y',
      '--size',
      '61x17',
      '--',
      'sh',
      '-c',
      'pwd; stty size; echo $A $B; read x',
    ]);
    const id = made.out.trim();
    expect((await run(['wait', id, '--text', '1 x=y', '--timeout', '90'])).code).toBe(0);
    expect((await run(['snapshot', 'where'])).out).toMatch(new RegExp(`^${dir}\n17 61\n1 x=y\n$`));
    const json = JSON.parse((await run(['snapshot', 'where', '--json', '--format', 'html'])).out);
    expect(json).toMatchObject({ cols: 61, rows: 17, data: expect.stringMatching(/^<pre/) });
  });

  it('new --attach opens a shell in this terminal', async () => {
    using desk = new DeskTerminal(['new', '--attach', '--', 'sh', '-c', 'stty size; read x; exit 5'], env, {
      size: { cols: 70, rows: 20 },
    });
    await desk.screen.sees(/^20 70$/m);
    desk.presses('\r');
    expect(await desk.ended).toBe(5);
  });

  it('wait --text exits with 1 if the program ends without printing the text', async () => {
    const made = await run(['new', '--', 'echo', 'something else']);
    expect((await run(['wait', made.out.trim(), '--text', 'wanted', '--timeout', '90'])).code).toBe(1);
  });

  it('[RL7] a viewer may list and watch, and nothing else', async () => {
    const viewer = { env: { HOLDFAST_TOKEN: await world.relay.token('viewer') } };
    const { id } = await client.client.create({ cols: 80, rows: 24, command: 'cat' });
    expect((await run(['ls', '-q'], viewer)).out).toContain(id);
    expect((await run(['snapshot', id], viewer)).code).toBe(0);
    for (const args of [['send', id, 'x'], ['kill', id], ['new']]) {
      const { code, err } = await run(args, viewer);
      expect([code, err], args[0]).toEqual([
        77,
        expect.stringMatching(/^holdfast \w+: (a viewer|This link is view-only)/),
      ]);
    }
  });

  it('bash loads the completions, and they complete', async () => {
    const { out } = await run(['completion', 'bash']);
    const script = join(dir, 'completion.bash');
    writeFileSync(script, out);
    const complete = (...words: string[]) =>
      execFileSync('bash', [
        '-c',
        `source '${script}'; COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _holdfast; echo "\${COMPREPLY[@]}"`,
        'bash',
        ...words,
      ])
        .toString()
        .trim();
    expect(complete('holdfast', 'sna')).toBe('snapshot');
    expect(complete('holdfast', 'completion', 'z')).toBe('zsh');
    expect(complete('holdfast', 'wait', '--te')).toBe('--text');
    for (const shell of ['zsh', 'fish'])
      expect((await run(['completion', shell])).out).toContain('holdfast ls --quiet');
  });

  const [zsh, fish] = [onPath('zsh'), onPath('fish')];
  it.skipIf(zsh === undefined)(`zsh loads its completions${unlessMissing('zsh', zsh)}`, async () => {
    const script = join(dir, 'completion.zsh');
    writeFileSync(script, (await run(['completion', 'zsh'])).out);
    expect(execFileSync(zsh ?? '', ['-n', script]).toString()).toBe('');
  });

  it.skipIf(fish === undefined)(`fish loads its completions${unlessMissing('fish', fish)}`, async () => {
    const script = join(dir, 'completion.fish');
    writeFileSync(script, (await run(['completion', 'fish'])).out);
    const complete = (line: string) =>
      execFileSync(fish ?? '', ['--no-config', '-c', `source '${script}'; complete -C '${line}'`], {
        env: { PATH: process.env.PATH, HOME: dir },
        // The command that would list sessions is not on PATH.
        stdio: ['ignore', 'pipe', 'ignore'],
      }).toString();
    expect(complete('holdfast sna')).toMatch(/^snapshot\t/);
    expect(complete('holdfast wait --te')).toMatch(/^--text\t/);
    expect(complete('holdfast completion z')).toMatch(/^zsh/);
  });

  it('[RL2] while the machine is offline, sessions are listed and nothing is typed', async () => {
    const { id } = await client.client.create({ name: 'away', cols: 80, rows: 24, command: 'cat' });
    process.kill(world.agent.pid, 'SIGKILL');
    await client.until(
      () => client.client.state.name === 'live' && client.client.state.agent.state === 'offline',
    );
    const listed = await run(['ls']);
    expect([listed.code, listed.out, listed.err]).toEqual([
      0,
      expect.stringContaining('away'),
      expect.stringMatching(/the machine is offline since \d+ s/),
    ]);
    for (const args of [['send', id, 'x'], ['snapshot', id], ['new']])
      expect((await run(args)).code, args[0]).toBe(69);
  });
});

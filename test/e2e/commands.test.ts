/**
 * The commands of a session, from a shell that prints marks to the HTTP API and the client library: a real agent, a
 * real relay.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SessionCommand } from '../../protocol/messages/command-info.ts';
import { SPARE_NUMBERS } from '../../vm-agent/disk/unsaved-commands.ts';
import { ApiClient, type Picture } from '../support/api-client.ts';
import { BUILT_AGENT, World } from '../support/world.ts';

const RING_BYTES = 16 * 1024;

let world: World;
let api: ApiClient;
let stateDir: string;
beforeAll(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'holdfast-commands-'));
  world = await World.open({
    // One process, because its crash is part of the story.
    agentProgram: BUILT_AGENT,
    agentFlags: ['--state-dir', stateDir, '--output-buffer-size', `${RING_BYTES}`],
  });
  api = await world.api();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await rm(stateDir, { recursive: true });
});

/** A shell that reports its commands. Its prompt is `$ `, and it does not show what is typed. */
const SHELL = {
  args: [
    '-c',
    `stty -echo
     mark() { printf '\\033]133;%s\\007' "$1"; }
     mark A; printf '$ '
     while read -r line; do
       mark "C;cmdline_url=$line"; eval "$line"; mark "D;$?"
       mark A; printf '$ '
     done`,
  ],
};

async function shell(): Promise<string> {
  const { id } = await api.create(SHELL);
  await api.waitFor(id, { text: '$ ' });
  return id;
}

/** Runs a line in it, and waits for the next prompt. */
const run = (id: string, line: string) => api.run(id, line, '$ ');

const listed = (id: string, by = api) =>
  by.ask<{ commands: SessionCommand[] }>('GET', `/sessions/${id}/commands`);
const output = (id: string, number: number, format = 'text', by = api) =>
  by.ask<Picture>('GET', `/sessions/${id}/commands/${number}/output?format=${format}`);

const storedCommands = (id: string) => readFile(join(stateDir, 'sessions', id, 'metadata.json'), 'utf8');

describe('[T3] the commands of a session', () => {
  it('are listed with line, exit code, times and output', async () => {
    const id = await shell();
    const before = Date.now();
    await run(id, 'echo one');
    await run(id, 'ls /nowhere 2>/dev/null || (exit 7)');
    const { commands } = (await listed(id)).body;
    expect(commands).toMatchObject([
      { number: 1, commandLine: 'echo one', exitCode: 0, verified: false },
      { number: 2, commandLine: 'ls /nowhere 2>/dev/null || (exit 7)', exitCode: 7, verified: false },
    ]);
    for (const { startedAt, durationMs } of commands) {
      // The agent has its own clock, which may be read a moment earlier.
      expect(Date.parse(startedAt)).toBeGreaterThanOrEqual(before - 1000);
      expect(durationMs).toBeGreaterThanOrEqual(0);
    }
    expect((await output(id, 1)).body).toMatchObject({ data: 'one\n', cols: 80, rows: 24 });
    expect((await output(id, 2)).body.data).toBe('');
  });

  it('have an output of their own in every format', async () => {
    const id = await shell();
    await run(id, 'echo before');
    await run(id, String.raw`printf 'a\nb\b\033[1mB\033[0m\n'`);
    expect((await output(id, 2, 'text')).body.data).toBe('a\nB\n');
    expect((await output(id, 2, 'ansi')).body.data).toMatch(/^(?!.*before).*a.*\n.*\[[\d;]*1.*mB/s);
    expect((await output(id, 2, 'html')).body.data).toMatch(/<span style="[^"]*bold[^"]*">B<\/span>/);
  });

  it('are listed while they run, with what they have printed so far', async () => {
    const id = await shell();
    await api.run(id, 'echo begun; read -r x; echo "got $x"', 'begun');
    expect((await listed(id)).body.commands).toMatchObject([
      { durationMs: null, exitCode: null, outputTo: null },
    ]);
    expect((await output(id, 1)).body.data).toBe('begun\n');
    await run(id, 'more');
    expect((await listed(id)).body.commands).toMatchObject([{ exitCode: 0 }]);
    expect((await output(id, 1)).body.data).toBe('begun\ngot more\n');
  });

  it('lose the beginning of a long output, then all of it', async () => {
    const id = await shell();
    const lines = RING_BYTES / 4;
    await run(id, `seq 10000 ${10_000 + lines}`);
    const { data, truncated } = (await output(id, 1)).body as Picture & { truncated?: boolean };
    const numbers = data.trimEnd().split('\n').map(Number);
    expect(truncated).toBe(true);
    expect(numbers.at(-1)).toBe(10_000 + lines);
    expect(numbers, 'whole lines only').toEqual(numbers.map((_, i) => 10_001 + lines - numbers.length + i));
    await run(id, `seq 20000 ${20_000 + lines}`);
    expect(await output(id, 1)).toMatchObject({ status: 410, body: { error: { code: 'output_gone' } } });
    expect((await listed(id)).body.commands).toMatchObject([{ number: 1, exitCode: 0 }, { number: 2 }]);
  });

  it('are refused by name: those of an unknown session, and unknown ones', async () => {
    const id = await shell();
    expect((await listed(id)).body).toEqual({ commands: [] });
    expect(await listed('unknown')).toMatchObject({
      status: 404,
      body: { error: { code: 'session_missing' } },
    });
    for (const number of ['1', 'x', '-1', '1.5'])
      expect(await api.ask('GET', `/sessions/${id}/commands/${number}/output`)).toMatchObject({
        status: 404,
        body: { error: { code: 'command_unknown' } },
      });
    expect((await output(id, 1, 'oil')).status).toBe(400);
  });

  it('are read by viewers too', async () => {
    const id = await shell();
    await run(id, 'echo seen');
    const viewer = await ApiClient.of(world.relay, 'viewer');
    expect((await listed(id, viewer)).body.commands).toMatchObject([{ commandLine: 'echo seen' }]);
    expect((await output(id, 1, 'text', viewer)).body.data).toBe('seen\n');
    using client = await world.client('viewer');
    expect(await client.client.commands(id)).toMatchObject([{ commandLine: 'echo seen', exitCode: 0 }]);
    const { bytes } = await client.client.commandOutput(id, 1, 'text');
    expect(new TextDecoder().decode(bytes)).toBe('seen\n');
    await expect(client.client.commandOutput(id, 9, 'text')).rejects.toMatchObject({
      code: 'command_unknown',
    });
  });

  it.each(['stop', 'crash'] as const)('survive a %s of the agent, without their output', async (how) => {
    const id = await shell();
    await run(id, 'echo kept && (exit 3)');
    const before = (await listed(id)).body.commands;
    // A crash may lose the last half second; what follows is written later.
    if (how === 'crash') await expect.poll(() => storedCommands(id)).toContain('"exitCode":3');
    await (how === 'stop' ? world.restartAgent() : world.crashAgent());
    api = await world.api();
    await api.waitFor(id, { text: 'new shell below' });
    const gone = { outputFrom: null, outputTo: null };
    expect((await listed(id)).body.commands).toEqual(before.map((command) => ({ ...command, ...gone })));
    expect(await output(id, 1)).toMatchObject({ status: 410, body: { error: { code: 'output_gone' } } });
    await run(id, 'echo after');
    expect((await listed(id)).body.commands).toMatchObject([
      { number: 1, commandLine: 'echo kept && (exit 3)', exitCode: 3 },
      // After a crash, some numbers are left out.
      { number: how === 'stop' ? 2 : 2 + SPARE_NUMBERS, commandLine: 'echo after', exitCode: 0 },
    ]);
    const after = (await listed(id)).body.commands.at(-1)?.number ?? 0;
    expect((await output(id, after)).body.data).toBe('after\n');
  });
});

/** Runs docs/cli.md: every command in order, compared with the documented output. */
import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asPattern, documentedCommands, normalised } from '../support/documented-commands.ts';
import { BIN, plainEnvironment } from '../support/holdfast-command.ts';
import { SECRET } from '../support/test-relay.ts';
import { World } from '../support/world.ts';

const page = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8');
const commands = documentedCommands(page);
const MONTH_S = 30 * 24 * 3600;

const dir = mkdtempSync(join(tmpdir(), 'holdfast-docs-'));
let world: World;
let env: Record<string, string>;

beforeAll(async () => {
  world = await World.open();
  await world.client();
  const secret = (name: string, text: string) => writeFileSync(join(dir, name), text, { mode: 0o600 });
  secret('relay-secret', SECRET);
  secret('token', await world.relay.token('operator'));
  secret('agent-token', await world.relay.token('agent', world.relay.workspace, MONTH_S));
  copyFileSync(world.keyFile, join(dir, 'agent-key'));
  writeFileSync(join(dir, 'holdfast'), `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`);
  chmodSync(join(dir, 'holdfast'), 0o755);
  env = plainEnvironment({
    PATH: `${dir}:${process.env.PATH}`,
    HOLDFAST_RELAY: world.relay.url.href,
    HOLDFAST_WORKSPACE: world.relay.workspace,
    HOLDFAST_TOKEN_FILE: 'token',
  });
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true, force: true });
});

/** What a user would see: both streams in order. */
function run(command: string): Promise<string> {
  return new Promise((resolve) => {
    execFile('/bin/sh', ['-c', `exec 2>&1; ${command}`], { cwd: dir, env }, (_error, out) => resolve(out));
  });
}

describe('docs/cli.md', () => {
  it.each(commands)('line $line: $command', async ({ command, output }) => {
    expect(normalised(await run(command))).toMatch(asPattern(output));
  });

  it('shows every client command', () => {
    for (const name of [
      'ls',
      'new',
      'run',
      'send',
      'snapshot',
      'commands',
      'wait',
      'kill',
      'digest',
      'audit',
      'share',
      'token',
      'agent-key',
      'up',
      'down',
      'deploy',
      'relay',
      'agent doctor',
    ])
      expect(
        commands.some(({ command }) => command.includes(`holdfast ${name}`)),
        name,
      ).toBe(true);
  });
});

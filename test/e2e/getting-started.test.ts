/** Runs docs/getting-started.md: every command in order, with a relay and an agent as `npm start` runs them. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LocalAgent, startLocalAgent } from '../../cli/local/local-agent.ts';
import { LocalState } from '../../cli/local/local-state.ts';
import { mintToken } from '../../cli/relay/mint-token.ts';
import { type Relay, startRelay } from '../../cli/relay/relay.ts';
import { asPattern, documentedCommands, normalised } from '../support/documented-commands.ts';
import { BIN, plainEnvironment } from '../support/holdfast-command.ts';
import { runInOneShell } from '../support/one-shell.ts';

const page = readFileSync(new URL('../../docs/getting-started.md', import.meta.url), 'utf8');

const dir = mkdtempSync(join(tmpdir(), 'holdfast-started-'));

let relay: Relay;
let agent: LocalAgent;
let state: LocalState;

beforeAll(async () => {
  state = await LocalState.open(join(dir, '.holdfast'));
  const secret = await state.secret();
  relay = await startRelay({ host: '127.0.0.1', port: 0, stateDir: state.relayDir, secret });
  const request = { workspace: 'local', role: 'agent', lifetimeSeconds: 3600 } as const;
  await state.writeAgentToken(await mintToken(request, secret));
  const online = new Promise<void>((resolve) => {
    agent = startLocalAgent({
      relay: relay.url,
      workspace: 'local',
      tokenFile: state.agentTokenFile,
      log: (line) => line.includes('"state":"open"') && resolve(),
    });
  });
  await online;
  const program = (name: string, line: string) => {
    writeFileSync(join(dir, name), `#!/bin/sh\n${line}\n`);
    chmodSync(join(dir, name), 0o755);
  };
  // What npx finds in a checkout, as it is built.
  program('npx', 'exec "$@"');
  program('holdfast', `exec '${process.execPath}' '${BIN}' "$@"`);
});

afterAll(async () => {
  await agent?.stop();
  await relay?.stop();
  await state?.release();
  rmSync(dir, { recursive: true, force: true });
});

it('every command prints the documented output', async () => {
  const steps = documentedCommands(page);
  expect(steps.length).toBeGreaterThan(15);
  const printed = await runInOneShell(
    steps.map(({ command }) => command.replaceAll('http://127.0.0.1:8787', relay.url.origin)),
    { cwd: dir, env: plainEnvironment({ PATH: `${dir}:${process.env.PATH}` }) },
  );
  expect(printed).toHaveLength(steps.length);
  steps.forEach(({ command, output }, at) => {
    expect(normalised(printed[at] ?? ''), command).toMatch(asPattern(output));
  });
});

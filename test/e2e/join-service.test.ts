/** `holdfast join --service`, with a stand-in for systemd that runs what the unit says. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { installAgent, requireServices } from '../../cli/agent/join-service.ts';
import { takeDown } from '../../cli/up/down-command.ts';
import { ApiClient } from '../support/api-client.ts';
import { familyOf } from '../support/process-table.ts';
import { gone } from '../support/processes.ts';
import { sharedRelays } from '../support/shared-relays.ts';
import { StandInSystemd } from '../support/stand-in-systemd.ts';

const relays = sharedRelays();
let systemd: StandInSystemd;
let printed: string;
beforeEach(() => {
  systemd = new StandInSystemd({ runsPrograms: true });
  printed = '';
  for (const stream of ['log', 'error'] as const)
    vi.spyOn(console, stream).mockImplementation((text) => {
      printed += `${text}\n`;
    });
  vi.stubEnv('SHELL', '/bin/sh');
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await systemd[Symbol.asyncDispose]();
});

it('[J2] keeps the agent running until `holdfast down`, which leaves key and token', async () => {
  const relay = await relays.onWorkerd();
  const dir = join(systemd.home, 'machine');
  mkdirSync(dir, { mode: 0o700 });
  const envFile = join(dir, 'agent.env');
  writeFileSync(join(dir, 'agent-token'), await relay.token('agent'), { mode: 0o600 });
  writeFileSync(
    envFile,
    `HOLDFAST_RELAY=${relay.url.origin}\nHOLDFAST_WORKSPACE=${relay.workspace}\nHOLDFAST_TOKEN_FILE=${dir}/agent-token\n`,
  );
  expect(await installAgent({ envFile, workspace: relay.workspace }, systemd.manager)).toBe(0);
  const name = `holdfast-agent-${relay.workspace}`;
  expect(systemd.unit(name)).toMatch(/^ExecReload=.*URG/m);
  expect(printed).toContain(
    `The service ${name} is running; \`holdfast down ${name}\` stops and removes it.`,
  );
  const api = await ApiClient.of(relay);
  await expect
    .poll(async () => (await api.ask('GET', '/health')).body)
    .toMatchObject({ agent: { state: 'online' } });
  const [child] = systemd.running.values();
  const family = familyOf(child?.pid ?? Number.NaN);
  printed = '';
  expect(await takeDown(name, systemd.manager, dir)).toBe(0);
  expect(printed).toBe(`Stopped and removed the service ${name}.\nKept: ${dir}\n`);
  await gone(family);
});

it('[J2] says that there is no systemd before the invite is used up', async () => {
  await using none = new StandInSystemd({ isBooted: false });
  await expect(requireServices(none.manager)).rejects.toThrow(/systemd does not run here|systemd/);
});

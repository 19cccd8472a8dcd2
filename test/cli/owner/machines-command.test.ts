/** `holdfast machines`, on a relay with an owner. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { machineTable } from '../../../cli/owner/machine-table.ts';
import type { FleetMachine } from '../../../protocol/owner-answers.ts';
import type { MachineReport } from '../../../worker/fleet/machine-report.ts';
import { holdfast } from '../../support/holdfast-command.ts';
import { OwnedRelay } from '../../support/owned-relay.ts';

let relay: OwnedRelay;
beforeAll(async () => {
  relay = await OwnedRelay.start();
});
afterAll(() => relay[Symbol.asyncDispose]());

const run = (...args: string[]) =>
  holdfast(['machines', ...args, '--state-dir', relay.stateDir, '--relay', relay.url.href]);

const REPORT: MachineReport = {
  ...{ isOnline: true, since: Date.now(), lastSeen: null, sessions: 2, version: '0.1.0' },
  attention: { state: 'asks', count: 2 },
};

describe('holdfast machines', () => {
  it('[J3] lists the machines with their state, renames them and removes them', async () => {
    expect((await run()).err).toMatch(/no machine has joined yet; `holdfast invite` lets one join/);
    await relay.joins('build-1');
    await relay.joins('build-2');
    await relay.reported({ 'build-2': REPORT });
    const listed = await run();
    expect(listed.out.trim().split('\n')).toEqual([
      expect.stringMatching(/^MACHINE +NAME +STATE +SESSIONS +ATTENTION +AGENT$/),
      expect.stringMatching(/^build-2 +- +online since \d\d:\d\d +2 +asks \(2\) +0\.1\.0$/),
      expect.stringMatching(/^build-1 +- +not connected yet +- +- +-$/),
    ]);
    expect((await run('rename', 'build-1', 'The fast one')).err).toMatch(/build-1 is called "The fast one"/);
    expect((await run('rename', 'build-1')).err).toMatch(/build-1 is called "build-1" now/);
    expect((await run('remove', 'build-1')).err).toMatch(/build-1 is removed/);
    const { machines } = JSON.parse((await run('--json')).out) as { machines: FleetMachine[] };
    expect(machines.map(({ name }) => name)).toEqual(['build-2']);
    const unknown = await run('remove', 'build-1');
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringMatching(/no machine of this name/)]);
  });

  it.each([
    [['move', 'build-1'], /is no action; use rename or remove/],
    [['rename'], /rename needs the name of a machine/],
    [['remove', '../x'], /remove needs the name of a machine/],
    [['remove', 'build-1', 'x'], /unexpected argument "x"/],
  ])('[J3] %j is refused with a sentence', async (args, sentence) => {
    const { code, err } = await run(...args);
    expect([code, err]).toEqual([2, expect.stringMatching(sentence)]);
  });

  it('[J3] says when a machine was last seen', () => {
    const now = new Date(2026, 10, 18, 15, 0);
    const machine: FleetMachine = {
      ...{ name: 'local', displayName: 'Here', origin: 'token', fingerprint: null, joinedAt: null },
      ...{ state: 'offline', since: null, lastSeen: new Date(2026, 10, 18, 14, 2).toISOString() },
      ...{ sessions: 1, attention: { state: 'failed', count: 1 }, version: null },
    };
    expect(machineTable([machine], now).split('\n')[1]).toMatch(
      /^local +Here +offline, last seen 14:02 +1 +failed +-$/,
    );
  });
});

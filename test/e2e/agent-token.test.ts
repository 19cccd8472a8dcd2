/** An agent whose token cannot be used says so at its start, and does not dial forever. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { startLocalAgent } from '../../cli/local/local-agent.ts';
import { mintToken } from '../../cli/relay/mint-token.ts';
import { SECRET, TestRelay } from '../support/test-relay.ts';

const BUILT = fileURLToPath(new URL('../../dist/agent/keeper.js', import.meta.url));

const dir = mkdtempSync(join(tmpdir(), 'holdfast-token-'));
afterAll(() => rmSync(dir, { recursive: true }));

describe('the agent at its start', () => {
  it.each([
    [
      'is for another workspace',
      { workspace: 'other' },
      0o600,
      /for the workspace "other", and HOLDFAST_WORKSPACE is "w"/,
    ],
    ['is for another role', { role: 'operator' } as const, 0o600, /for the role "operator"; an agent needs/],
    ['is in a file that others may read', {}, 0o644, /may be read by others \(mode 644\); run chmod 600/],
    ['is none', null, 0o600, /holds no Holdfast token; make one with `holdfast token --role agent --out/],
  ])(
    '[U15] prints one sentence and exits with 77 without dialling if the token %s',
    async (_what, claims, mode, sentence) => {
      const file = join(dir, 'token');
      rmSync(file, { force: true });
      const asked = { workspace: 'w', role: 'agent' as const, lifetimeSeconds: 3600, ...claims };
      writeFileSync(file, claims === null ? 'nonsense' : await mintToken(asked, 'x'.repeat(32)));
      chmodSync(file, mode);
      const flags = ['--relay', 'http://127.0.0.1:9', '--workspace', 'w', '--token-file', file];
      const { status, stderr } = spawnSync(process.execPath, [BUILT, ...flags], {
        encoding: 'utf8',
        env: {},
      });
      expect([status, stderr]).toEqual([77, expect.stringMatching(sentence)]);
      expect(stderr.trim().split('\n')).toHaveLength(1);
    },
  );

  it('[U15] prints one sentence and exits with 77 if the token has expired, here and at the relay', async () => {
    await using relay = await TestRelay.onWorkerd();
    const issuedAt = Math.floor(Date.now() / 1000) - 7200;
    const asked = { workspace: relay.workspace, role: 'agent', lifetimeSeconds: 3600, issuedAt } as const;
    const expired = await mintToken(asked, SECRET);
    rmSync(join(dir, 'token'), { force: true });
    writeFileSync(join(dir, 'token'), expired, { mode: 0o600 });
    let said = '';
    const agent = startLocalAgent({
      relay: relay.url,
      workspace: relay.workspace,
      tokenFile: join(dir, 'token'),
      program: [process.execPath, BUILT],
      log: (text) => {
        said += text;
      },
    });
    expect(await agent.ended).toBe('exit code 77');
    expect(said).toMatch(
      /^holdfast agent: The token expired at .*this machine's clock says .*make a new one\.$/m,
    );
  });
});

/** `holdfast agent reload` finds the keeper of a workspace, and says what happened. No relay is needed for that. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { mintToken } from '../../cli/relay/mint-token.ts';
import { upgradeTrouble } from '../../vm-agent/keeper/upgrade.ts';
import { holdfast, plainEnvironment } from '../support/holdfast-command.ts';
import { agentOf } from '../support/kept-agent.ts';
import { hasProc, unlessProc } from '../support/needs-proc.ts';
import { BUILT_AGENT, BUILT_KEEPER } from '../support/world.ts';

const dir = mkdtempSync(join(tmpdir(), 'holdfast-reload-'));
/** Other tests of this user have keepers too. */
const workspace = `reload-${process.pid}`;
const file = (name: string) => join(dir, name);
const started: ChildProcess[] = [];

beforeAll(async () => {
  const asked = { workspace, role: 'agent', lifetimeSeconds: 3600 } as const;
  writeFileSync(file('token'), await mintToken(asked, 'x'.repeat(32)), { mode: 0o600 });
});
afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }
});
afterAll(() => rmSync(dir, { recursive: true }));

const SETTINGS = () => `HOLDFAST_RELAY=http://127.0.0.1:9\nHOLDFAST_TOKEN_FILE=${file('token')}\n`;

/** A keeper whose agent works; the workspace stands in its settings file only. */
async function startKeeper(
  name: string,
  flags: readonly string[] = [],
): Promise<{ pid: number; settings: string }> {
  const settings = file(`${name}.env`);
  writeFileSync(settings, `${SETTINGS()}HOLDFAST_WORKSPACE=${workspace}\n`);
  const [program, ...args] = BUILT_KEEPER;
  const child = spawn(program, [...flags, ...args, '--env-file', settings], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: plainEnvironment(),
  });
  started.push(child);
  child.stderr?.setEncoding('utf8');
  let text = '';
  // Leaving the loop closes the pipe: a keeper goes on although nobody reads its log.
  for await (const piece of child.stderr ?? []) {
    text += piece;
    if (text.includes('"agent_ready"')) break;
  }
  return { pid: child.pid as number, settings };
}

const reload = (...args: string[]) => holdfast(['agent', 'reload', ...args]);

describe('an agent whose keeper speaks another version', () => {
  it('[K4] ends with a sentence before it takes over', async () => {
    const [program, main] = BUILT_AGENT;
    const flags = ['--relay', 'http://127.0.0.1:9', '--workspace', workspace, '--token-file', file('token')];
    const child = spawn(program, [main, ...flags], {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      env: { ...plainEnvironment(), HOLDFAST_KEEPER_FD: '3', HOLDFAST_KEEPER_VERSION: '3' },
    });
    started.push(child);
    const told: string[] = [];
    child.stdio[3]?.on('data', (piece) => told.push(`${piece}`));
    let said = '';
    child.stderr?.on('data', (piece) => {
      said += piece;
    });
    const [code] = await once(child, 'close');
    expect([code, said, told]).toEqual([
      2,
      'holdfast agent: The keeper speaks version 3 with its agent, which speaks version 1: use a newer agent.\n',
      [],
    ]);
  });
});

describe.skipIf(!hasProc || process.env.HOLDFAST_NO_KEEPER !== undefined)(
  `holdfast agent reload${unlessProc}`,
  () => {
    it('[K1] finds the keeper by the workspace of its agent, wherever that is set', async () => {
      const { pid } = await startKeeper('one');
      const before = agentOf(pid);
      expect(await reload('--workspace', workspace)).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^The new agent \(process \d+\) has taken over from \d+; shells keep/),
      });
      expect(agentOf(pid)).not.toBe(before);
    });

    it('[K1] says that the old agent goes on if the new one does not come up', async () => {
      const { pid, settings } = await startKeeper('broken');
      const before = agentOf(pid);
      writeFileSync(settings, `${SETTINGS()}HOLDFAST_WORKSPACE=${workspace}\nPTY_MAX_SESSIONS=many\n`);
      const { code, err } = await reload('--workspace', workspace);
      expect([code, err]).toEqual([
        1,
        `holdfast agent reload: The new agent ended before it took over. The old one (process ${before}) goes on, and shells keep running; the log of the keeper says why.\n`,
      ]);
      expect(agentOf(pid)).toBe(before);
    });

    it.skipIf(upgradeTrouble() !== null)('[K4] --keeper replaces the keeper too, and says so', async () => {
      const { pid } = await startKeeper('upgraded');
      const before = agentOf(pid);
      for (const _ of [1, 2])
        expect(await reload('--keeper', '--workspace', workspace)).toEqual({
          code: 0,
          out: `The keeper (process ${pid}) and its agent were replaced by new ones; shells keep running.\n`,
          err: '',
        });
      expect(agentOf(pid)).not.toBe(before);
      expect((await reload('--workspace', workspace)).code).toBe(0);
    });

    it.skipIf(upgradeTrouble() !== null)(
      '[K4] waits for a keeper that is just being replaced, and says what came of it',
      async () => {
        const { pid } = await startKeeper('busy');
        for (const _ of [1, 2, 3]) {
          const asked = await Promise.all([
            reload('--keeper', '--workspace', workspace),
            reload('--workspace', workspace),
            reload('--pid', `${pid}`),
          ]);
          expect(asked.map(({ code, err }) => [code, err])).toEqual([
            [0, ''],
            [0, ''],
            [0, ''],
          ]);
        }
        expect(agentOf(pid)).toBeDefined();
      },
    );

    it('[K4] --keeper refuses a keeper that does not listen for it', async () => {
      // As a keeper before this feature, and one whose Node has no process.execve.
      const { pid } = await startKeeper('older', ['--import', 'data:text/javascript,delete process.execve']);
      const { code, err } = await reload('--keeper', '--workspace', workspace);
      expect([code, err]).toEqual([
        1,
        `holdfast agent reload: The keeper (process ${pid}) cannot be replaced in place: it is older than this feature, or its Node is older than 22.15. Restart it, which ends its shells.\n`,
      ]);
    });

    it('refuses if no keeper is found, and if there are several', async () => {
      expect(await reload('--workspace', `${workspace}-other`)).toMatchObject({
        code: 1,
        err: expect.stringMatching(/There is no keeper of this user for the workspace "reload-\d+-other"\./),
      });
      const [one, two] = [await startKeeper('one'), await startKeeper('two')];
      const { code, err } = await reload('--workspace', workspace);
      expect([code, err]).toEqual([
        1,
        expect.stringMatching(/There are 2 keepers of this user for the workspace .*\. Give --pid\.$/m),
      ]);
      for (const { pid } of [one, two]) expect(err).toContain(`${pid} (${workspace})`);
      expect((await reload('--pid', `${two.pid}`)).code).toBe(0);
    });

    it('signals no process that is not a keeper', async () => {
      const child = spawn('sleep', ['1000']);
      started.push(child);
      expect(await reload('--pid', `${child.pid}`)).toEqual({
        code: 1,
        out: '',
        err: `holdfast agent reload: Process ${child.pid} is not a keeper.\n`,
      });
      expect([child.exitCode, child.signalCode]).toEqual([null, null]);
    });
  },
);

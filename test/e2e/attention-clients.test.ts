/** What programs tell people who are not there, from real shells to HTTP and the command line. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Attention } from '../../protocol/messages/attention.ts';
import type { SessionDigest } from '../../protocol/messages/digest.ts';
import type { Answer, ApiClient } from '../support/api-client.ts';
import { BIN, holdfast } from '../support/holdfast-command.ts';
import { hasProc } from '../support/needs-proc.ts';
import { onPath, unlessMissing } from '../support/on-path.ts';
import { World } from '../support/world.ts';

const dir = mkdtempSync(join(tmpdir(), 'holdfast-attention-'));
const bash = onPath('bash');
const tmux = onPath('tmux');

let world: World;
let api: ApiClient;
let env: Record<string, string>;
beforeAll(async () => {
  world = await World.open({ home: dir });
  api = await world.api();
  env = {
    HOLDFAST_RELAY: world.relay.url.href,
    HOLDFAST_WORKSPACE: world.relay.workspace,
    HOLDFAST_TOKEN: await world.relay.token('operator'),
  };
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true, force: true });
});

const notify = (text: string) => `${process.execPath} ${BIN} notify '${text}' > /dev/null`;

const attentionOf = async (id: string) => {
  const { body } = await api.ask<{ attention: Attention }>(
    'GET',
    `/sessions/${id}/wait?for=attention&timeout=60`,
  );
  return body.attention;
};

describe('[A4] holdfast notify', () => {
  it('[AS6] calls for attention with a text, which the API and `ls` show', async () => {
    const { id } = await api.create({
      name: 'calls',
      args: ['-c', `${notify('is it ready; or not?')}; cat`],
    });
    expect(await attentionOf(id)).toMatchObject({
      state: 'asks',
      text: 'is it ready; or not?',
    });
    expect(await api.session(id)).toHaveProperty('attention');
    const quiet = await api.create({ name: 'quiet', command: 'cat' });
    const { out } = await holdfast(['ls'], { env });
    const rows = out.split('\n').filter((row) => /calls|quiet/.test(row));
    expect(rows).toEqual([
      expect.stringMatching(/calls .*asks: .*is it ready/),
      expect.stringMatching(/quiet/),
    ]);
    for (const one of [id, quiet.id]) await api.ask('DELETE', `/sessions/${one}`);
  });

  it.skipIf(tmux === undefined)(
    `does so from inside tmux that passes it on${unlessMissing('tmux', tmux)}`,
    async () => {
      writeFileSync(join(dir, 'tmux.conf'), 'set -g allow-passthrough on\n');
      const server = ['-L', `holdfast-${process.pid}`, '-f', join(dir, 'tmux.conf')];
      const inside = `${notify('from inside')}; exec cat`;
      const { id } = await api.create({ command: 'tmux', args: [...server, 'new-session', inside] });
      try {
        expect(await attentionOf(id)).toMatchObject({ text: 'from inside' });
      } finally {
        execFileSync('tmux', [...server, 'kill-server']);
      }
    },
  );

  it('says so where there is no terminal', async () => {
    const { code, err } = await new Promise<{ code: number; err: string }>((resolve) => {
      // Without a controlling terminal.
      const script = `setsid ${process.execPath} ${BIN} notify x`;
      try {
        execFileSync('sh', ['-c', script], { stdio: 'pipe' });
        resolve({ code: 0, err: '' });
      } catch (error) {
        const { status, stderr } = error as { status: number; stderr: Buffer };
        resolve({ code: status, err: stderr.toString() });
      }
    });
    expect([code, err]).toEqual([
      69,
      'holdfast notify: there is no terminal here; run it in a shell of the session\n',
    ]);
  });
});

/** Asks again while the machine is away. */
async function untilBack(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503) return answer;
  }
}

describe.skipIf(bash === undefined)(`[A4] [A6] commands in bash${unlessMissing('bash', bash)}`, () => {
  it('[AS5] are waited for, also while the agent process is killed, and told in the digest', async () => {
    const since = new Date().toISOString();
    const { id } = await api.create({ name: 'work', command: 'bash', cwd: dir });
    const run = (command: string) => api.ask<{ offset: number }>('POST', `/sessions/${id}/run`, { command });
    const { offset } = (await run('true')).body;
    await api.type(id, 'sh -c "while [ ! -e go ]; do sleep 0.05; done; exit 4"\n');
    const waits = untilBack(() => api.ask('GET', `/sessions/${id}/wait?for=command&since=${offset}`));
    const waitsToo = holdfast(['wait', 'work', '--command', '--since', `${offset}`], { env });
    if (hasProc && process.env.HOLDFAST_NO_KEEPER === undefined) world.killAgent();
    writeFileSync(join(dir, 'go'), '');
    expect(await waits).toMatchObject({ status: 200, body: { command: { exitCode: 4 } } });
    expect(await waitsToo).toEqual({ code: 4, out: '', err: '' });
    const digest = await api.ask<{ sessions: SessionDigest[] }>('GET', `/digest?since=${since}`);
    const told = digest.body.sessions.find(({ session }) => session === id);
    expect(told).toMatchObject({ name: 'work', finished: 2, failed: 1, commands: [{ exitCode: 4 }] });
    const { out } = await holdfast(['digest', '--since', '5m'], { env });
    expect(out).toMatch(/^work: 2 commands finished, 1 failed.*\n {2}sh -c .* \(exit 4, .*\)$/m);
    expect(
      (await api.ask('GET', `/sessions/${id}/wait?for=command&since=${offset + 1e6}&timeout=0.1`)).status,
    ).toBe(408);
  });
});

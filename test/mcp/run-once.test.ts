/** A run that a tool waits for in slices, while the machine is restarted: its command is not run again. */
import { describe, expect, it } from 'vitest';
import { AssistantRequests } from '../../client/requests/assistant-requests.ts';
import type { WorkspaceClient } from '../../client/workspace-client.ts';
import { callTool } from '../../mcp/call/call-tool.ts';
import type { ToolHost } from '../../mcp/call/tool-host.ts';
import { runTool } from '../../mcp/tools/run.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { DONE } from '../support/scripted-runner.ts';

const KEY = '0b7e5c1e-3a0f-4d43-9a51-0d6f3a1f2b3c';
const SLICE_MS = 30_000;

/** A machine whose session is revived under its id after a restart, as with a state directory. */
function story() {
  const clock = new FakeClock();
  const machine = { epoch: 'first', runs: [] as string[] };
  const pending = {
    ask: async ({ act, waitMs }: { act: string; waitMs: number }) => {
      const run = `${machine.epoch} ${act}`;
      if (!machine.runs.includes(run)) machine.runs.push(run);
      clock.advance(waitMs);
      return { run: { ...DONE, state: 'running', exitCode: null } };
    },
  };
  const link = {
    clock,
    agent: () => ({ state: 'online' as const, epoch: machine.epoch, can: ['run'] }),
    onChange: () => () => {},
  };
  const assistant = new AssistantRequests(pending as never, link);
  const host = {
    clock,
    waitAtOnceMs: SLICE_MS,
    newKey: () => KEY,
    digest: async (text: string) => text,
    explain: () => undefined,
    withWaitingClient: <T>(act: (client: WorkspaceClient) => Promise<T>) =>
      act({ assistant } as unknown as WorkspaceClient),
  } as unknown as ToolHost;
  const call = (input: object) =>
    callTool(
      runTool,
      { session: 's1', command: './deploy', ...input },
      { host, actor: undefined, holder: undefined, cancelled: new AbortController().signal },
    );
  return { clock, machine, call };
}

describe('a run', () => {
  it('[A2] [AS1] is not run again when the machine is restarted between two slices of its wait', async () => {
    const { clock, machine, call } = story();
    clock.after(1.5 * SLICE_MS, () => {
      machine.epoch = 'second';
    });
    const outcome = await call({ timeoutMs: 4 * SLICE_MS });
    expect(machine.runs).toEqual([`first run\ns1\n${KEY}`]);
    expect(outcome).toMatchObject({ ok: false, error: { code: 'unknown_outcome' } });
  });

  it('[A2] [AS1] is not run again by who waits on with the key of the answer after a restart', async () => {
    const { machine, call } = story();
    const outcome = await call({ timeoutMs: SLICE_MS });
    const key = outcome.ok && outcome.answer.facts.idempotencyKey;
    expect(key).toBe(`${KEY}@first`);
    expect(await call({ timeoutMs: SLICE_MS, idempotencyKey: key }), 'the same run').toMatchObject({
      answer: { facts: { state: 'running', idempotencyKey: key } },
    });
    machine.epoch = 'second';
    expect(await call({ timeoutMs: SLICE_MS, idempotencyKey: key })).toMatchObject({
      error: { code: 'unknown_outcome' },
    });
    expect(machine.runs).toHaveLength(1);
  });

  it("[A2] [AS1] under the caller's own key begins where the caller wants, and answers that key", async () => {
    const { machine, call } = story();
    machine.epoch = 'second';
    const outcome = await call({ timeoutMs: SLICE_MS, idempotencyKey: 'deploy-17' });
    expect(outcome).toMatchObject({ answer: { facts: { idempotencyKey: 'deploy-17' } } });
    expect(machine.runs).toEqual(['second run\ns1\ndeploy-17']);
  });
});

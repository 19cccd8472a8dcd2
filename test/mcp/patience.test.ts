/** How long calls take, with a clock that a test moves. */

import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { callTool } from '../../mcp/call/call-tool.ts';
import { inSlices } from '../../mcp/call/in-slices.ts';
import { tellProgress } from '../../mcp/call/patience.ts';
import { type Tool, tool } from '../../mcp/call/tool.ts';
import type { ToolHost } from '../../mcp/call/tool-host.ts';
import { timeoutMs } from '../../mcp/tools/arguments.ts';
import { TOOLS } from '../../mcp/tools/tools.ts';
import { Refusal } from '../../protocol/errors.ts';
import { MCP_CALL_MAX_MS, MCP_CALL_MS, MCP_PROGRESS_EVERY_MS } from '../../protocol/limits.ts';
import { FakeClock } from '../support/fake-clock.ts';

const never = () => new Promise<never>(() => {});

function story(call: () => Promise<never>, isPatient = true) {
  const clock = new FakeClock();
  const cancel = new AbortController();
  const told: number[] = [];
  const logged: unknown[] = [];
  const explain = (error: unknown) => void logged.push(error);
  const input = v.strictObject({ timeoutMs });
  const stuck: Tool = tool({
    ...{ name: 'stuck', title: 'Stuck', description: 'Never answers.', isPatient },
    ...{ input, output: v.object({}), call },
  });
  const options = {
    host: { clock, explain } as unknown as ToolHost,
    ...{ actor: undefined, holder: undefined, cancelled: cancel.signal },
    progress: (seconds: number) => void told.push(seconds),
  };
  const begin = (given: unknown = {}) => callTool(stuck, given, options);
  return { clock, cancel, told, logged, begin };
}

/** Lets promises settle, without time. */
const settle = async () => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

async function endsAt(story: { clock: FakeClock }, call: Promise<unknown>): Promise<number> {
  let isOver = false;
  void call.then(() => {
    isOver = true;
  });
  for (let seconds = 0; seconds < 1000; seconds++) {
    await settle();
    if (isOver) return seconds;
    story.clock.advance(1000);
  }
  throw new Error('it never ends');
}

describe('a call', () => {
  it.each([
    { given: {}, isPatient: true, atMostMs: MCP_CALL_MS + 10_000 },
    { given: { timeoutMs: 1000 }, isPatient: true, atMostMs: 11_000 },
    { given: { timeoutMs: MCP_CALL_MAX_MS }, isPatient: true, atMostMs: MCP_CALL_MAX_MS + 10_000 },
    { given: {}, isPatient: false, atMostMs: MCP_CALL_MS },
  ])(
    '[A2] with $given ends within $atMostMs ms, whatever the machine does',
    async ({ given, isPatient, atMostMs }) => {
      const it = story(never, isPatient);
      const call = it.begin(given);
      expect((await endsAt(it, call)) * 1000).toBeLessThanOrEqual(atMostMs);
      expect(await call).toMatchObject({ ok: false, error: { code: 'timeout' } });
      expect(it.clock.pending, 'no timer is left').toBe(0);
    },
  );

  it(`[A2] may not take more than ${MCP_CALL_MAX_MS} ms`, async () => {
    const { begin } = story(never);
    expect(await begin({ timeoutMs: MCP_CALL_MAX_MS + 1 })).toMatchObject({
      ok: false,
      error: { code: 'bad_request', message: `The argument timeoutMs must be <=${MCP_CALL_MAX_MS}.` },
    });
  });

  it('[A2] ends at once when it is cancelled, also before it began', async () => {
    const running = story(never);
    const call = running.begin();
    running.cancel.abort();
    expect(await call).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    expect(running.clock.pending).toBe(0);
    expect(await running.begin()).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  });

  it('[A2] tells that it goes on, every few seconds, until it ends', async () => {
    const it = story(never);
    const call = it.begin();
    for (let turn = 0; turn < 3; turn++) it.clock.advance(MCP_PROGRESS_EVERY_MS);
    expect(it.told).toEqual([5, 10, 15]);
    it.cancel.abort();
    await call;
    it.clock.advance(MCP_PROGRESS_EVERY_MS);
    expect(it.told).toHaveLength(3);
  });

  it('[A2] turns a refusal into its code, and hides a bug', async () => {
    const refused = story(() => Promise.reject(new Refusal('shell_busy', 'vim runs.')));
    expect(await refused.begin()).toMatchObject({ error: { code: 'shell_busy', message: 'vim runs.' } });
    const broken = story(() => Promise.reject(new TypeError('secret of /srv/x')));
    const outcome = await broken.begin();
    expect(outcome).toMatchObject({ ok: false, error: { code: 'internal' } });
    expect(JSON.stringify(outcome)).not.toContain('secret');
    expect(broken.logged).toHaveLength(1);
  });
});

describe('waiting in slices', () => {
  it('[A2] asks again until it happened or the time is over, and never longer than allowed at once', async () => {
    const clock = new FakeClock();
    const asked: number[] = [];
    const waiting = inSlices({
      host: { clock, waitAtOnceMs: 30_000 },
      withinMs: 70_000,
      cancelled: new AbortController().signal,
      ask: (waitMs) => {
        asked.push(waitMs);
        return new Promise<boolean>((resolve) => void clock.after(waitMs, () => resolve(true)));
      },
      isPending: (isPending) => isPending,
    });
    await endsAt({ clock }, waiting);
    expect(asked).toEqual([30_000, 30_000, 10_000]);
  });

  it('[A2] does not ask an agent again that answers at once', async () => {
    let asked = 0;
    const answer = await inSlices({
      host: { clock: new FakeClock(), waitAtOnceMs: 30_000 },
      ...{ withinMs: 70_000, cancelled: new AbortController().signal },
      ask: async () => {
        if (asked > 5) throw new Error('asked again and again');
        return ++asked;
      },
      isPending: () => true,
    });
    expect(answer).toBe(1);
  });
});

it('[A2] progress can be stopped before its first report', () => {
  const clock = new FakeClock();
  tellProgress(clock, () => {})();
  expect(clock.pending).toBe(0);
});

it('[A2] only tools that wait take a timeout', () => {
  for (const { name, input, isPatient } of TOOLS)
    expect(Object.keys((input as unknown as { entries: object }).entries).includes('timeoutMs'), name).toBe(
      isPatient,
    );
});

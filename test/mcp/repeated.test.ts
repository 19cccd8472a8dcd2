/** Calls whose connection is lost before the answer: what may be repeated is, and what may not is told. */
import { describe, expect, it } from 'vitest';
import { callTool } from '../../mcp/call/call-tool.ts';
import type { ToolHost } from '../../mcp/call/tool-host.ts';
import { TOOLS } from '../../mcp/tools/tools.ts';
import { Story } from '../client/client-story.ts';
import { sessionInfo } from '../support/scripted-session.ts';

const settle = async () => {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
};

class CallStory extends Story {
  constructor() {
    super();
    this.connects();
    this.agentCan();
  }

  agentCan(): void {
    const agent = { state: 'online' as const, since: null, epoch: 'epoch-1', generation: 1, can: ['run'] };
    this.says({ type: 'agent_state', agent });
  }

  calls(name: string, input: object) {
    const { client, clock } = this;
    const host = {
      clock,
      withClient: (act: (used: typeof client) => unknown) => act(client),
      explain: () => undefined,
    } as unknown as ToolHost;
    const [tool] = TOOLS.filter((one) => one.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    const cancelled = new AbortController().signal;
    return callTool(tool, input, { host, actor: undefined, holder: undefined, cancelled });
  }

  /** The connection is cut, and dialled again. */
  async cut(): Promise<void> {
    this.network.latest.cut();
    await settle();
    this.clock.advance(2000);
    this.network.latest.accept();
    this.agentCan();
    await settle();
  }
}

describe('a call that lost its connection', () => {
  it('[A2] open_session asks again, because its key makes that harmless', async () => {
    const story = new CallStory();
    const call = story.calls('open_session', { key: 'build' });
    await settle();
    expect(story.asked('create_session')).toMatchObject([{ key: 'build' }]);
    await story.cut();
    const [again] = story.asked('create_session');
    expect(again).toMatchObject({ key: 'build' });
    const request = again?.request ?? '';
    story.says({ type: 'session_created', request, session: sessionInfo('s1'), found: true });
    expect(await call).toMatchObject({ ok: true, answer: { facts: { created: false } } });
  });

  it('[A2] close counts as done if the session is gone the second time, but not the first', async () => {
    const story = new CallStory();
    const refuse = () => {
      const request = story.asked('close_session').at(-1)?.request ?? '';
      story.says({ type: 'error', code: 'session_missing', message: 'It is gone.', request });
    };
    const first = story.calls('close', { session: 's1' });
    await settle();
    refuse();
    expect(await first).toMatchObject({ ok: false, error: { code: 'session_missing' } });
    const second = story.calls('close', { session: 's1' });
    await settle();
    await story.cut();
    refuse();
    expect(await second).toMatchObject({ ok: true });
  });

  it('[A2] signal is not repeated: a signal sent twice is another one', async () => {
    const story = new CallStory();
    const call = story.calls('signal', { session: 's1', signal: 'SIGINT' });
    await settle();
    expect(story.asked('signal_session')).toHaveLength(1);
    await story.cut();
    expect(story.asked('signal_session')).toEqual([]);
    expect(await call).toMatchObject({ ok: false, error: { code: 'unknown_outcome' } });
  });

  it('[A2] is not repeated for ever', async () => {
    const story = new CallStory();
    const call = story.calls('open_session', { key: 'build' });
    await settle();
    story.network.latest.cut();
    await settle();
    story.clock.advance(16_000);
    expect(await call).toMatchObject({ ok: false, error: { code: 'no_answer' } });
  });
});

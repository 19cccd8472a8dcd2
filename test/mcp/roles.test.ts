/** What each role may do with the tools: every tool, over both transports. */
import { beforeAll, describe, expect, it } from 'vitest';
import { TOOLS } from '../../mcp/tools/tools.ts';
import type { ClientMessage } from '../../protocol/messages/client-message.ts';
import type { ClientRole } from '../../protocol/roles.ts';
import { McpClient, WAYS } from '../support/mcp-client.ts';
import { ScriptedRunner } from '../support/scripted-runner.ts';
import { sharedRelays } from '../support/shared-relays.ts';
import type { TestRelay } from '../support/test-relay.ts';

interface Use {
  readonly tool: string;
  readonly input: object;
  /** What it asks of the agent; null if the relay alone answers. */
  readonly asks: ClientMessage['type'] | null;
  readonly forViewers: boolean;
}

const session = 's1';

const USES: readonly Use[] = [
  { tool: 'list_sessions', input: {}, asks: null, forViewers: true },
  { tool: 'open_session', input: { key: 'k' }, asks: 'create_session', forViewers: false },
  { tool: 'run', input: { session, command: 'ls' }, asks: 'run_command', forViewers: false },
  { tool: 'read', input: { session }, asks: 'take_snapshot', forViewers: true },
  { tool: 'type', input: { session, text: 'x' }, asks: 'type_text', forViewers: false },
  { tool: 'keys', input: { session, keys: ['enter'] }, asks: 'type_text', forViewers: false },
  { tool: 'wait', input: { session, for: 'attention' }, asks: 'await_session', forViewers: true },
  { tool: 'signal', input: { session, signal: 'SIGINT' }, asks: 'signal_session', forViewers: false },
  { tool: 'close', input: { session }, asks: 'close_session', forViewers: false },
];

it('[A2] the table has every tool', () => {
  expect(USES.map(({ tool }) => tool)).toEqual(TOOLS.map(({ name }) => name));
});

const relays = sharedRelays();

describe.each(WAYS)('[A2] over $transport in $revision', (way) => {
  describe.each(['operator', 'viewer'] as const)('%s', (role: ClientRole) => {
    let relay: TestRelay;
    let agent: ScriptedRunner;
    let mcp: McpClient;
    beforeAll(async () => {
      relay = await relays.onWorkerd();
      agent = await ScriptedRunner.on(relay);
      const token = await relay.token(role);
      mcp = await McpClient.connect({ relay: relay.url, workspace: relay.workspace, token }, way);
      return () => mcp[Symbol.asyncDispose]();
    });

    it('lists the tools that it may use', async () => {
      const allowed = USES.filter(({ forViewers }) => forViewers || role === 'operator');
      expect(await mcp.tools()).toEqual(allowed.map(({ tool }) => tool));
    });

    it.each(USES)('$tool', async ({ tool, input, asks, forViewers }) => {
      const before = agent.asked.length;
      if (role === 'viewer' && !forViewers) {
        await expect(mcp.call(tool, input)).rejects.toThrow(`There is no tool "${tool}".`);
        expect(agent.asked.length, 'nothing reaches the agent').toBe(before);
        return;
      }
      // The agent of this test has nothing to close; that it was asked is enough.
      const { isError } = await mcp.call(tool, input);
      expect(isError).toBe(tool === 'close');
      expect(agent.asked.slice(before).map(({ type }) => type)).toEqual(asks === null ? [] : [asks]);
    });
  });
});

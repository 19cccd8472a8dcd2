/** What `npm start` says when the keeper has started another agent. */
import { describe, expect, it } from 'vitest';
import { AgentLog } from '../../../cli/local/agent-log.ts';

describe("the log of the agent's keeper in `npm start`", () => {
  it('[Y5] [F30] tells that a new agent was started, and why with less', () => {
    const said: string[] = [];
    const log = new AgentLog((line) => said.push(line));
    const ended = { event: 'agent_ended', how: 'SIGKILL', programs: 1, again_in_ms: 0 };
    const less = { event: 'started_with_less', why: 'The agent ended 3 times in a row.' };
    for (const fields of [ended, less]) log.read(`${JSON.stringify({ level: 'warn', ...fields })}\n`);
    expect(said).toEqual([
      'The agent has ended (SIGKILL) and is restarted. Its shells keep running, and pages reconnect by themselves.',
      'The agent ended 3 times in a row.',
    ]);
  });
});

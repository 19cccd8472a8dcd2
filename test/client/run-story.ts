/** A command that a client asks for, and how the agent says that it ended. */
import type { RunState } from '../../protocol/messages/run-state.ts';
import { asked, client, says } from './requests-story.ts';

/** What an agent says that knows assistants. */
export const ABLE = { can: ['run', 'attention', 'digest'] };
export const WAIT_MS = 50_000;

export const DONE: RunState = {
  ...{ state: 'done', exitCode: 3, durationMs: 5, output: 'hi', omittedBytes: 0, offset: 40 },
  ...{ cwd: '/srv', command: 7 },
};

export const runs = (waitMs = WAIT_MS) =>
  client.assistant.run('s1', 'exit 3', { act: 'act-1', actor: 'Codex', waitMs });

export function ends(state: Partial<RunState> = {}): void {
  const { request } = asked('run_command');
  says({ type: 'run_state', request, session: 's1', run: { ...DONE, ...state } });
}

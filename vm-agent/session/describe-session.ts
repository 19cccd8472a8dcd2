/** How a session is described to the relay and to clients. */
import type { SessionInfo } from '../../protocol/messages/session-info.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Described } from './description.ts';
import type { SessionFacts } from './session-facts.ts';
import type { SessionIdentity } from './session-options.ts';
import type { SessionState } from './session-state.ts';

interface Parts {
  readonly identity: SessionIdentity;
  readonly state: SessionState;
  readonly facts: SessionFacts;
  readonly terminal: Terminal;
  readonly viewers: number;
  readonly described: Described;
}

export function describeSession({
  identity,
  state,
  facts,
  terminal,
  viewers,
  described,
}: Parts): SessionInfo {
  const { id, key, epoch, graceMs } = identity;
  const { exit, orphanedSince } = state;
  return {
    id,
    key,
    name: facts.name,
    status: exit === null ? 'running' : 'exited',
    attached: viewers,
    orphanedSince: orphanedSince?.toISOString() ?? null,
    exitCode: exit?.code ?? null,
    signal: exit?.signal ?? null,
    cols: terminal.size.cols,
    rows: terminal.size.rows,
    cwd: facts.cwd ?? terminal.pty.cwd(),
    ...described,
    createdAt: facts.createdAt.toISOString(),
    lastActivityAt: terminal.lastActivityAt.toISOString(),
    ...(graceMs === undefined ? {} : { graceMs }),
    bufferBytes: terminal.ring.length,
    epoch,
  };
}

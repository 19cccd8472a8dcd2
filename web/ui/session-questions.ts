/** What the page asks the agent about its terminals before it acts: what runs in them, and where. */
import type { WorkspaceClient } from '../../client/workspace-client.ts';
import type { SessionInfo } from '../../protocol/messages/session-info.ts';
import { printable } from '../../protocol/printable.ts';
import type { ClosingQuestion } from './components/questions.tsx';
import { tabOf } from './tabs/tab-list.ts';
import type { Tabs } from './tabs/tabs.ts';
import { runningProgram } from './view/shells.ts';

interface Asked {
  readonly client: WorkspaceClient;
  readonly windowTabs: Tabs;
}

/** What to ask before these tabs are closed; null when nothing is lost. */
export async function closingQuestion(
  asked: Asked,
  keys: readonly string[],
): Promise<ClosingQuestion | null> {
  const known = keys.filter((key) => tabOf(asked.windowTabs.list, key) !== undefined);
  const infos = await Promise.all(known.map((key) => runningInfo(asked, key)));
  const programs = infos.flatMap((info) => (info === null ? [] : (runningProgram(info.foreground) ?? [])));
  const others = infos.reduce((sum, info) => sum + Math.max(0, (info?.attached ?? 0) - 1), 0);
  if (programs.length === 0 && others === 0) return null;
  const name = tabOf(asked.windowTabs.list, known[0] ?? '')?.name ?? '';
  return {
    keys: known,
    name: printable(name),
    programs: [...new Set(programs)].map((program) => printable(program)),
    others,
  };
}

/** Asks the agent at this moment, because the running program changes without notice. */
async function runningInfo({ client, windowTabs }: Asked, key: string): Promise<SessionInfo | null> {
  const session = tabOf(windowTabs.list, key)?.session ?? null;
  if (session === null || windowTabs.flow(key)?.state.name !== 'attached') return null;
  try {
    const info = await currentInfo(client, session);
    return info?.status === 'running' ? info : null;
  } catch {
    // The agent cannot be asked. The tab is closed, and its shell is ended when the agent is back, with time to undo.
    return null;
  }
}

/** The working directory of a tab's terminal; null if it is not known. */
export async function directoryOf({ client, windowTabs }: Asked, key: string): Promise<string | null> {
  const session = tabOf(windowTabs.list, key)?.session ?? null;
  if (session === null) return null;
  try {
    return (await currentInfo(client, session))?.cwd ?? null;
  } catch {
    // The agent cannot be asked, and will start the shell where it starts others.
    return null;
  }
}

/** What the agent says of a session at this moment. */
async function currentInfo(client: WorkspaceClient, session: string): Promise<SessionInfo | undefined> {
  await client.refresh(session);
  return (await client.list()).find(({ id }) => id === session);
}

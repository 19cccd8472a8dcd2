/** Waits for text in a session, as `holdfast wait --text` and `holdfast mcp` do. */
import { type SearchedScreen, textPrinted } from '../../client/text/output-search.ts';
import { Pattern } from '../../client/text/pattern.ts';
import { BadPattern } from '../../client/text/pattern-program.ts';
import { TextSearch } from '../../client/text/text-search.ts';
import type { WorkspaceClient } from '../../client/workspace-client.ts';
import { Refusal } from '../../protocol/errors.ts';
import { PATTERN_MAX_CHARS } from '../../protocol/limits.ts';
import { untilOnline } from './connect.ts';

/**
 * The same patterns as over HTTP: no pattern can hang, in return some constructs are refused. Throws BadPattern.
 */
export function readPattern(text: string): Pattern {
  if (text.length > PATTERN_MAX_CHARS)
    throw new BadPattern(`it has more than ${PATTERN_MAX_CHARS} characters; shorten it`);
  return new Pattern(text);
}

/**
 * Resolves with the line of the match: on the screen, or printed later; with `since`, printed after that offset. Rejects
 * with `session_exited` when the program ends without printing it.
 */
export function textOn(
  client: WorkspaceClient,
  id: string,
  pattern: Pattern,
  since?: number,
): Promise<string> {
  const search = new TextSearch(pattern);
  return textPrinted({
    ...{ client, id, search, since },
    takeScreen: () => takeScreen(client, id),
    run: async (pieces) => {
      for (const _ of pieces) if (search.found !== undefined) return;
    },
    release: () => {},
    refused: () => new Refusal('agent_offline', 'The connection was lost.'),
  });
}

/** The screen as text. A lost connection and a machine that is away are waited out. */
async function takeScreen(client: WorkspaceClient, id: string): Promise<SearchedScreen> {
  for (;;) {
    await untilOnline(client);
    try {
      const { bytes, offset } = await client.snapshot(id, 'text', 'screen');
      return { texts: [new TextDecoder().decode(bytes)], offset, heldBytes: 0 };
    } catch (error) {
      const isAway = error instanceof Refusal && error.code === 'agent_offline';
      if (!isAway || client.state.name === 'refused') throw error;
    }
  }
}

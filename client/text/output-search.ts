/**
 * Waits until a session has printed something: looks at its screen first, then follows its output from there on. The
 * HTTP API and the command line both wait with it, so that a pattern means the same in both.
 */
import { Refusal } from '../../protocol/errors.ts';
import type { AttachedSession, AttachOptions } from '../attached-session.ts';
import { deferred } from '../requests/deferred.ts';
import type { Screen } from '../screen.ts';
import type { WorkspaceClient } from '../workspace-client.ts';
import { LeadGone, SearchedOutput, type SearchStart, type SearchWork } from './searched-output.ts';
import type { TextSearch } from './text-search.ts';

/**
 * Output requested before the searched part, to detect whether that begins inside a sequence. Most sequences are
 * shorter.
 */
const LEAD_BYTES = 4096;

/** A screen as text, in parts that can be read more than once, and the offset up to which it shows the output. */
export interface SearchedScreen {
  readonly texts: Iterable<string>;
  readonly offset: number;
  /** What is held for it until it was searched, for `release`. */
  readonly heldBytes: number;
}

/** What a program waits for, and where it begins to look. */
interface OutputSearch extends SearchWork {
  readonly client: WorkspaceClient;
  readonly id: string;
  readonly search: TextSearch;
  /** Absent: what is on the screen does not count. */
  readonly takeScreen?: () => Promise<SearchedScreen>;
  /** Look at the output from this offset on, and not at the screen. */
  readonly since?: number | undefined;
  /** Attaches the session; by default without waiting until it is attached. */
  readonly attach?: (screen: Screen, options: AttachOptions) => Promise<AttachedSession>;
  /** The error for a client whose connection was closed for good. */
  readonly refused: () => Error;
}

/** Resolves with the line of the match; rejects with `session_exited` when the program ends without printing it. */
export async function textPrinted(wanted: OutputSearch): Promise<string> {
  const { search, takeScreen, run, release } = wanted;
  let start = wanted.since;
  if (start === undefined && takeScreen !== undefined) {
    const { texts, offset, heldBytes } = await takeScreen();
    await run(search.screenPieces(texts));
    release(heldBytes);
    if (search.found !== undefined) return search.found;
    start = offset;
  }
  if (start === undefined) return follow(wanted, { history: 'none' }, { isFromNow: true });
  const lead = Math.min(start, LEAD_BYTES);
  try {
    return await follow(wanted, { resume: { offset: start - lead } }, { leadBytes: lead });
  } catch (error) {
    if (!(error instanceof LeadGone)) throw error;
    return follow(wanted, { resume: { offset: start } }, {});
  }
}

/** `options` say where the output begins, `start` where in it the search does. */
async function follow(wanted: OutputSearch, options: AttachOptions, start: SearchStart): Promise<string> {
  const { client, id, refused } = wanted;
  const attach = wanted.attach ?? (async (screen, how) => client.attach(id, null, screen, how));
  const outcome = deferred<string>();
  outcome.promise.catch(() => {}); // may reject while still attaching
  const searched = new SearchedOutput(wanted, outcome, start);
  const session = await attach(searched, options);
  const look = () => {
    const { state } = session;
    if (state.name !== 'attaching') searched.caughtUp();
    // Output from before the exit may still wait to be searched.
    if (state.name === 'exited')
      searched.afterwards(() =>
        outcome.reject(new Refusal('session_exited', 'The program has ended without printing that.')),
      );
    if (state.name === 'gone') outcome.reject(new Refusal(state.code, state.why));
    if (client.state.name === 'refused') outcome.reject(refused());
  };
  const stop = client.onChange(look);
  look();
  return outcome.promise.finally(() => {
    stop();
    client.detach(id);
  });
}

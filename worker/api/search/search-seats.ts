/**
 * Limits how many searches (`wait` for text) run at once. Each caches some hundred KiB, and they share the isolate's
 * CPU time.
 */
import type { Context } from 'hono';
import { SEARCHES_MAX, VIEWER_SEARCHES_MAX, VIEWERS_SEARCHES_MAX } from '../../../protocol/limits.ts';
import { ApiError } from '../../http/api-error.ts';
import type { App } from '../../http/http.ts';
import { type Owner, ownerOf } from '../../peers/owner.ts';
import { onGivenUp } from '../link/object-socket.ts';

/** Ends the search's place; may be called more than once. */
type Leave = () => void;

interface Taken {
  all: number;
  ofViewers: number;
  /** By token, of viewers. */
  readonly ofViewer: Map<string, number>;
}

export class SearchSeats {
  readonly #byWorkspace = new Map<string, Taken>();

  /** Throws 429 when the workspace has too many searches, or its viewers or this viewer have used their part. */
  enter(workspace: string, { role, tokenId }: Owner): Leave {
    const isViewer = role === 'viewer';
    const taken = this.#byWorkspace.get(workspace) ?? { all: 0, ofViewers: 0, ofViewer: new Map() };
    const ofToken = () => taken.ofViewer.get(tokenId) ?? 0;
    if (taken.all >= SEARCHES_MAX) throw tooMany(`This workspace already has ${SEARCHES_MAX}`);
    if (isViewer && taken.ofViewers >= VIEWERS_SEARCHES_MAX)
      throw tooMany(`The viewers of this workspace already have ${VIEWERS_SEARCHES_MAX}`);
    if (isViewer && ofToken() >= VIEWER_SEARCHES_MAX)
      throw tooMany(`This token already has ${VIEWER_SEARCHES_MAX}`);
    const count = (by: 1 | -1) => {
      taken.all += by;
      if (!isViewer) return;
      taken.ofViewers += by;
      const left = ofToken() + by;
      if (left > 0) taken.ofViewer.set(tokenId, left);
      else taken.ofViewer.delete(tokenId);
    };
    count(1);
    this.#byWorkspace.set(workspace, taken);
    let isLeft = false;
    return () => {
      if (isLeft) return;
      isLeft = true;
      count(-1);
      if (taken.all === 0) this.#byWorkspace.delete(workspace);
    };
  }

  /** For a request. An aborted request runs no further, so its place is released then too. */
  enterFor(c: Context<App>): Leave {
    const { workspace, caller } = c.var.principal;
    const leave = this.enter(workspace, ownerOf(caller));
    onGivenUp(c, leave);
    return leave;
  }
}

const tooMany = (who: string) =>
  new ApiError(429, 'busy', `${who} requests waiting for text. Try again when one of them has ended.`);

/** One limit for the isolate. */
export const searchSeats = new SearchSeats();

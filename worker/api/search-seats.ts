/** How many searches (`wait` for text) run at once: each remembers some hundred KiB, and they share the isolate's time. */
import { SEARCHES_MAX } from '../../protocol/limits.ts';
import { ApiError } from './api-error.ts';

export class SearchSeats {
  readonly #byWorkspace = new Map<string, number>();

  /** Throws 429 when the workspace has too many. Returns what to call at the end of the search, once. */
  enter(workspace: string): () => void {
    const running = this.#byWorkspace.get(workspace) ?? 0;
    if (running >= SEARCHES_MAX) throw tooMany();
    this.#byWorkspace.set(workspace, running + 1);
    return () => {
      const left = (this.#byWorkspace.get(workspace) ?? 1) - 1;
      if (left > 0) this.#byWorkspace.set(workspace, left);
      else this.#byWorkspace.delete(workspace);
    };
  }
}

const tooMany = () =>
  new ApiError(
    429,
    'busy',
    `This workspace already has ${SEARCHES_MAX} requests waiting for text. Try again when one of them has ended.`,
  );

/** Of this isolate. */
export const searchSeats = new SearchSeats();

/**
 * How many bytes are on their way to the clients of a workspace. What a client does not read waits in the relay's
 * memory, so the sum is bounded. Viewers share a part of it, so that they cannot use up what operators need. [OU9]
 */
import { VIEWERS_IN_FLIGHT_MAX_BYTES } from '../../protocol/limits.ts';

/** Over all clients of a workspace: what they do not take waits in the object's memory, which is 128 MiB. */
export const WORKSPACE_MAX_BYTES = 32 * 1024 * 1024;

export class OutputInFlight {
  readonly #maxBytes: number;
  /** What this one is a part of. */
  readonly #whole: OutputInFlight | undefined;
  #bytes = 0;

  constructor(maxBytes = WORKSPACE_MAX_BYTES, whole?: OutputInFlight) {
    this.#maxBytes = maxBytes;
    this.#whole = whole;
  }

  /** The part that viewers share. */
  forViewers(): OutputInFlight {
    return new OutputInFlight(VIEWERS_IN_FLIGHT_MAX_BYTES, this);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Nobody may have more on its way than is still free: the last one to come always finds as much as any other
   * may take, and those that stopped acknowledging cannot use up what the rest need.
   */
  get freeBytes(): number {
    const free = this.#maxBytes - this.#bytes;
    return this.#whole === undefined ? free : Math.min(free, this.#whole.freeBytes);
  }

  add(bytes: number): void {
    this.#bytes += bytes;
    this.#whole?.add(bytes);
  }
}

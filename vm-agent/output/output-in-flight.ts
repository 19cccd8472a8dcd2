/**
 * Counts the bytes in flight to all clients of a workspace. The relay holds in memory what a client does not read, so
 * the sum is limited. Clients with the role `viewer` share a part of it, so that operators always have room. [OU9]
 */
import { VIEWERS_IN_FLIGHT_MAX_BYTES } from '../../protocol/limits.ts';

/** Limit over all clients of a workspace: unread bytes wait in the Durable Object's memory, which is 128 MiB. */
export const WORKSPACE_MAX_BYTES = 32 * 1024 * 1024;

export class OutputInFlight {
  readonly #maxBytes: number;
  /** The total that this part belongs to. */
  readonly #whole: OutputInFlight | undefined;
  /** The part that clients with the role `viewer` share, if this is the total. */
  #part: OutputInFlight | undefined;
  #bytes = 0;
  /**
   * No client may have more in flight than is still free. So the last client to connect always gets as much as any
   * other may take, and clients that stopped acknowledging cannot take everything. A field, because it is read several
   * times for every frame and client; only `add` changes it.
   */
  freeBytes: number;

  constructor(maxBytes = WORKSPACE_MAX_BYTES, whole?: OutputInFlight) {
    this.#maxBytes = maxBytes;
    this.#whole = whole;
    this.freeBytes = maxBytes;
  }

  /** The part that clients with the role `viewer` share. */
  forViewers(): OutputInFlight {
    this.#part ??= new OutputInFlight(VIEWERS_IN_FLIGHT_MAX_BYTES, this);
    this.#part.#measure();
    return this.#part;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#whole === undefined) this.#measure();
    else this.#whole.add(bytes);
  }

  #measure(): void {
    const free = this.#maxBytes - this.#bytes;
    this.freeBytes = this.#whole === undefined ? free : Math.min(free, this.#whole.freeBytes);
    if (this.#part !== undefined) this.#part.#measure();
  }
}

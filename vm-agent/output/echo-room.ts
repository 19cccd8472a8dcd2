/** Limits the echoes that are in flight to one client although its window is full. Rule OU9. */
import { ECHO_ROOM_MAX_BYTES } from '../../protocol/limits.ts';

export class EchoRoom {
  #bytes = 0;
  /** Those that no session will acknowledge any more. */
  #abandoned = 0;

  /** Whether an echo of `bytes` may be sent. */
  fits(bytes: number): boolean {
    return this.#bytes + this.#abandoned + bytes <= ECHO_ROOM_MAX_BYTES;
  }

  /** So many more are in flight; fewer if negative. */
  count(bytes: number): void {
    this.#bytes += bytes;
  }

  /** No session will acknowledge these any more. */
  abandon(bytes: number): void {
    this.#bytes -= bytes;
    this.#abandoned += bytes;
  }

  /** Everything that no session acknowledges has arrived. */
  abandonedArrived(): void {
    this.#abandoned = 0;
  }
}

/** Holds the credit window of each client, which covers all its sessions. */

import type { Attachment } from './attachment.ts';
import { CreditWindow } from './credit-window.ts';
import { OutputInFlight } from './output-in-flight.ts';

/** The client that owns a window. Clients with the role `viewer` share part of the workspace's bytes in flight. */
export type WindowOwner = Pick<Attachment, 'channel' | 'role'>;

export class CreditWindows {
  readonly #windows = new Map<number, CreditWindow>();
  readonly #inFlight = new OutputInFlight();
  readonly #viewersInFlight = this.#inFlight.forViewers();

  of({ channel, role }: WindowOwner): CreditWindow {
    const known = this.#windows.get(channel);
    if (known !== undefined) return known;
    const window = new CreditWindow(role === 'viewer' ? this.#viewersInFlight : this.#inFlight);
    this.#windows.set(channel, window);
    return window;
  }

  /** The window of a client, if it was ever sent something. */
  find(channel: number): CreditWindow | undefined {
    return this.#windows.get(channel);
  }

  /** Bytes in flight to all clients. */
  get inFlightBytes(): number {
    return this.#inFlight.bytes;
  }

  /** The client is gone, and with it everything in flight to it. */
  delete(channel: number): void {
    this.#windows.get(channel)?.close();
    this.#windows.delete(channel);
  }

  clear(): void {
    for (const window of this.#windows.values()) window.close();
    this.#windows.clear();
  }
}

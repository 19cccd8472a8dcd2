/** The windows of all clients: one for each, over all its sessions. */
import { ClientWindow, OutputInFlight } from './client-window.ts';

export class ClientWindows {
  readonly #windows = new Map<number, ClientWindow>();
  readonly #inFlight = new OutputInFlight();

  of(channel: number): ClientWindow {
    const window = this.#windows.get(channel) ?? new ClientWindow(this.#inFlight);
    this.#windows.set(channel, window);
    return window;
  }

  /** The client is gone, and what it owed with it. */
  delete(channel: number): void {
    this.#windows.delete(channel);
  }

  clear(): void {
    this.#windows.clear();
  }
}

/** One request of an assistant that waits: for the keyboard, for a prompt, for the end of a run. */
import type { Cancel, Clock } from '../../protocol/clock.ts';
import type { Assistant, KeyboardCall } from '../keyboard/keyboard.ts';

/** One request of an assistant. */
export interface AssistRequest {
  readonly assistant: Assistant;
  /** The connection on which it asks. */
  readonly connection: string;
  readonly act: string;
  readonly waitMs: number;
}

export class AssistCall implements KeyboardCall {
  readonly assistant: Assistant;
  readonly connection: string;
  readonly #clock: Clock;
  readonly #deadline: number;
  /** Looks again whether what is waited for has happened. */
  #look: (() => void) | undefined;
  #isGranted = false;
  #takenBy: string | null = null;
  #isAbandoned = false;

  constructor({ assistant, connection, waitMs }: Omit<AssistRequest, 'act'>, clock: Clock) {
    this.assistant = assistant;
    this.connection = connection;
    this.#clock = clock;
    this.#deadline = clock.now() + waitMs;
  }

  get isGranted(): boolean {
    return this.#isGranted;
  }

  /** The person who took the keyboard; null if nobody did. */
  get takenBy(): string | null {
    return this.#takenBy;
  }

  /** Whether its time is over, or nobody waits for the answer. */
  get isOver(): boolean {
    return this.#isAbandoned || this.#clock.now() >= this.#deadline;
  }

  granted(): void {
    this.#isGranted = true;
    this.changed();
  }

  takenOver(by: string): void {
    this.#takenBy = by;
    this.changed();
  }

  /** Nobody waits for the answer any more. */
  abandon(): void {
    this.#isAbandoned = true;
    this.changed();
  }

  /** Something has happened that may have been waited for. */
  changed(): void {
    this.#look?.();
  }

  /** Resolves when `check` holds, at the latest after `withinMs` or when the call is over; with whether it holds. */
  until(check: () => boolean, withinMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    if (check() || this.isOver) return Promise.resolve(check());
    return new Promise((resolve) => {
      let cancel: Cancel = () => {};
      const end = () => {
        cancel();
        this.#look = undefined;
        resolve(check());
      };
      this.#look = () => {
        if (check() || this.isOver) end();
      };
      cancel = this.#clock.after(Math.max(0, Math.min(withinMs, this.#deadline - this.#clock.now())), end);
    });
  }
}

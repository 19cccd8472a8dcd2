/**
 * Which assistant may type into a session. One at a time has the keyboard; others wait. A person needs no permission:
 * their key takes the keyboard from the assistant. Rule AS4. Pure, with injected time.
 *
 *            enter                       person's key
 *    free ───────────► held ────────────────────────────► taken
 *     ▲                 │ quiet for 30 s, or left            │ handed back, or quiet for 30 s
 *     └─────────────────┴────────────────────────────────────┘
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';
import { Refusal } from '../../protocol/errors.ts';
import { KEYBOARD_HELD_MS, KEYBOARD_QUEUE_MAX } from '../../protocol/limits.ts';
import type { KeyboardHolder } from '../../protocol/messages/keyboard-holder.ts';

/** An assistant that wants to type. */
export interface Assistant {
  /** The same for all calls of one assistant. */
  readonly id: string;
  readonly name: string;
}

/** One call of an assistant: it types, or waits for what it has typed. */
export interface KeyboardCall {
  /** The keyboard is the assistant's. */
  granted(): void;
  /** A person has taken the keyboard: while the call waited, or while it had it. */
  takenOver(by: string): void;
}

type State =
  | { readonly name: 'free' }
  | { readonly name: 'held'; readonly by: Assistant; readonly since: Date; readonly calls: Set<KeyboardCall> }
  | { readonly name: 'taken'; readonly from: Assistant; readonly by: string; readonly since: Date };

interface Waiting {
  readonly assistant: Assistant;
  readonly call: KeyboardCall;
}

export class AssistantKeyboard {
  readonly #clock: Clock;
  readonly #changed: () => void;
  /** In the order of their requests. */
  #queue: Waiting[] = [];
  #state: State = { name: 'free' };
  /** Ends what nobody uses any more. */
  #expiry: Cancel | undefined;

  /** `changed` is called whenever `holder` is another. */
  constructor(clock: Clock, changed: () => void) {
    this.#clock = clock;
    this.#changed = changed;
  }

  /** Undefined while no assistant has the keyboard, and none waits for a person. */
  get holder(): KeyboardHolder | undefined {
    if (this.#state.name === 'free') return undefined;
    const since = this.#state.since.toISOString();
    return this.#state.name === 'held'
      ? { kind: 'assistant', name: this.#state.by.name, since }
      : { kind: 'person', name: this.#state.from.name, since };
  }

  /** Whether an assistant other than this one has it, so that scripts may not type. */
  isHeldFrom(id: string | undefined): boolean {
    return this.#state.name === 'held' && this.#state.by.id !== id;
  }

  /** Begins a call, which is granted at once or later. Throws `taken_over`, or `keyboard_busy` if too many wait. */
  enter(assistant: Assistant, call: KeyboardCall): void {
    const state = this.#state;
    if (state.name === 'taken') throw takenOver(state.by);
    if (state.name === 'free' || state.by.id === assistant.id) return this.#grant({ assistant, call });
    if (this.#queue.length >= KEYBOARD_QUEUE_MAX)
      throw new Refusal(
        'keyboard_busy',
        `${state.by.name} has the keyboard of this session, and ${KEYBOARD_QUEUE_MAX} others wait for it. Try again later.`,
      );
    this.#queue.push({ assistant, call });
  }

  /**
   * A call for what the assistant has begun, under this id or a former one: it gets the keyboard if that is free or still
   * its own, and waits for nobody.
   */
  join(assistant: Assistant, call: KeyboardCall, former: string): void {
    const state = this.#state;
    const isOwn = state.name === 'held' && (state.by.id === assistant.id || state.by.id === former);
    if (isOwn && state.by.id !== assistant.id) this.#enter({ ...state, by: assistant });
    if (isOwn || state.name === 'free') this.#grant({ assistant, call });
  }

  /** A call has ended, or waits no longer. */
  leave(call: KeyboardCall): void {
    this.#queue = this.#queue.filter((waiting) => waiting.call !== call);
    if (this.#state.name !== 'held' || !this.#state.calls.delete(call)) return;
    if (this.#state.calls.size === 0) this.#expireLater();
  }

  /** The connection of an assistant has ended, and its calls with it. `runsOn`: it may come back for a run. */
  gone(id: string, runsOn: boolean): void {
    const state = this.#state;
    this.#queue = this.#queue.filter(({ assistant }) => assistant.id !== id);
    if (state.name !== 'held' || state.by.id !== id) return;
    state.calls.clear();
    if (runsOn) this.#expireLater();
    else this.#free();
  }

  /** A person has typed. */
  personTyped(by: string): void {
    const state = this.#state;
    if (state.name === 'free') return;
    const calls =
      state.name === 'held' ? [...state.calls, ...this.#queue.map((waiting) => waiting.call)] : [];
    this.#queue = [];
    const from = state.name === 'held' ? state.by : state.from;
    const isSame = state.name === 'taken' && state.by === by;
    this.#enter(isSame ? state : { name: 'taken', from, by, since: new Date() });
    this.#expireLater();
    for (const call of calls) call.takenOver(by);
  }

  handBack(): void {
    if (this.#state.name === 'taken') this.#free();
  }

  #grant({ assistant, call }: Waiting): void {
    this.#expiry?.();
    this.#expiry = undefined;
    if (this.#state.name === 'held') this.#state.calls.add(call);
    else this.#enter({ name: 'held', by: assistant, since: new Date(), calls: new Set([call]) });
    call.granted();
  }

  #expireLater(): void {
    this.#expiry?.();
    this.#expiry = this.#clock.after(KEYBOARD_HELD_MS, () => this.#free());
  }

  /** Everybody of the assistant whose turn it is. */
  #free(): void {
    this.#expiry?.();
    this.#expiry = undefined;
    this.#enter({ name: 'free' });
    const [next] = this.#queue;
    if (next === undefined) return;
    const turn = this.#queue.filter(({ assistant }) => assistant.id === next.assistant.id);
    this.#queue = this.#queue.filter(({ assistant }) => assistant.id !== next.assistant.id);
    for (const waiting of turn) this.#grant(waiting);
  }

  #enter(next: State): void {
    if (this.#state === next) return;
    this.#state = next;
    this.#changed();
  }
}

export function takenOver(by: string): Refusal {
  return new Refusal(
    'taken_over',
    `${by} has taken the keyboard. It is free again when they hand it back, or half a minute after their last key.`,
  );
}

/**
 * Recognizes the touch gestures on a terminal, except for scrolling (touch-scroll.ts):
 *
 *   down ──── lifted ────► tap
 *    │ └───── moved ─────► not ours: it scrolls
 *    └─ LONG_PRESS_MS ──► held ─── moved: drag ─── lifted
 *
 * A second finger cancels the gesture.
 */

export interface Point {
  readonly clientX: number;
  readonly clientY: number;
}

interface TouchGestures {
  /**
   * Returns true when the tap is handled: the browser then makes no click of it and leaves the on-screen keyboard as it
   * is.
   */
  tapped(at: Point): boolean;
  longPressed(at: Point): void;
  /** After a long press. */
  dragged(at: Point): void;
  lifted(): void;
}

/** The usual time on phones. */
const LONG_PRESS_MS = 500;
/** A resting finger still moves a little. */
const SLACK_PX = 8;

type State =
  | { readonly name: 'up' }
  | { readonly name: 'down'; readonly at: Point; readonly timer: ReturnType<typeof setTimeout> }
  | { readonly name: 'held' };

export class TouchRecognizer {
  readonly #gestures: TouchGestures;
  #state: State = { name: 'up' };

  /** Must be created before other touch listeners, because it keeps its own drags from them. */
  constructor(host: HTMLElement, gestures: TouchGestures, signal: AbortSignal) {
    this.#gestures = gestures;
    const active = { passive: false, signal };
    host.addEventListener('touchstart', (event) => this.#start(event), { passive: true, signal });
    host.addEventListener('touchmove', (event) => this.#move(event), active);
    host.addEventListener('touchend', (event) => this.#end(event), active);
    host.addEventListener('touchcancel', () => this.#enter({ name: 'up' }), { signal });
    signal.addEventListener('abort', () => this.#enter({ name: 'up' }));
  }

  /** Whether a finger is on the terminal. */
  get isDown(): boolean {
    return this.#state.name !== 'up';
  }

  #start({ touches }: TouchEvent): void {
    const [touch] = touches;
    if (touch === undefined || touches.length > 1) return this.#enter({ name: 'up' });
    const at = { clientX: touch.clientX, clientY: touch.clientY };
    const timer = setTimeout(() => {
      this.#enter({ name: 'held' });
      this.#gestures.longPressed(at);
    }, LONG_PRESS_MS);
    this.#enter({ name: 'down', at, timer });
  }

  #move(event: TouchEvent): void {
    const [touch] = event.touches;
    if (touch === undefined) return;
    if (this.#state.name === 'held') {
      event.preventDefault();
      event.stopImmediatePropagation();
      this.#gestures.dragged(touch);
    } else if (this.#state.name === 'down' && distance(this.#state.at, touch) > SLACK_PX) {
      this.#enter({ name: 'up' });
    }
  }

  #end(event: TouchEvent): void {
    const state = this.#state;
    this.#enter({ name: 'up' });
    if (state.name === 'held') {
      event.preventDefault();
      event.stopImmediatePropagation();
      this.#gestures.lifted();
    } else if (state.name === 'down' && this.#gestures.tapped(state.at)) event.preventDefault();
  }

  #enter(next: State): void {
    if (this.#state.name === 'down') clearTimeout(this.#state.timer);
    this.#state = next;
  }
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
}

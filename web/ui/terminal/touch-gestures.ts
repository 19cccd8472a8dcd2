/**
 * What a finger does to a terminal, apart from scrolling (touch-scroll.ts):
 *
 *   down ──── lifted ────► tap
 *    │ └───── moved ─────► not ours: it scrolls
 *    └─ LONG_PRESS_MS ──► held ─── moved: drag ─── lifted
 *
 * A second finger ends it.
 */

export interface Point {
  readonly clientX: number;
  readonly clientY: number;
}

interface TouchGestures {
  /** True when it is done with: then the browser makes no click of it, and the keyboard stays as it is. */
  tapped(at: Point): boolean;
  longPressed(at: Point): void;
  /** After a long press. */
  dragged(at: Point): void;
  lifted(): void;
}

/** As long as phones take. */
const LONG_PRESS_MS = 500;
/** A finger that rests trembles. */
const SLACK_PX = 8;

type State =
  | { readonly name: 'up' }
  | { readonly name: 'down'; readonly at: Point; readonly timer: ReturnType<typeof setTimeout> }
  | { readonly name: 'held' };

export class TouchRecognizer {
  readonly #gestures: TouchGestures;
  #state: State = { name: 'up' };

  /** To be made before other listeners for touch: it keeps a drag of its own from them. */
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

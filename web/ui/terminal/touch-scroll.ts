/**
 * Touch scrolling, which xterm does not support. In the history it scrolls the lines. For full-screen programs and
 * those that track the mouse it sends wheel events, which xterm translates for them.
 */
import type { Terminal } from '@xterm/xterm';

/** A finger that moves less than this is about to select or tap. */
const SLACK_PX = 6;
/** The fraction of its speed that a scroll keeps per frame after the finger is lifted. */
const GLIDE = 0.94;

export function scrollByTouch(terminal: Terminal, host: HTMLElement, signal: AbortSignal): void {
  let last: { readonly y: number; readonly at: number } | null = null;
  let isScrolling = false;
  let speed = 0;
  let frame = 0;

  /** Movement that does not yet make up a whole line. */
  let rest = 0;

  const roll = (way: number, at: { readonly clientX: number; readonly clientY: number }) => {
    const isHistory = terminal.buffer.active.type === 'normal' && terminal.modes.mouseTrackingMode === 'none';
    if (!isHistory) return turnWheel(host, way, at);
    rest += way;
    const lineHeight = (host.querySelector('.xterm-screen')?.clientHeight ?? 0) / terminal.rows || 1;
    const lines = Math.trunc(rest / lineHeight);
    rest -= lines * lineHeight;
    if (lines !== 0) terminal.scrollLines(lines);
  };

  host.addEventListener(
    'touchstart',
    ({ touches, timeStamp }) => {
      cancelAnimationFrame(frame);
      const [touch] = touches;
      last = touches.length === 1 && touch ? { y: touch.clientY, at: timeStamp } : null;
      isScrolling = false;
      rest = 0;
      speed = 0;
    },
    { passive: true, signal },
  );

  host.addEventListener(
    'touchmove',
    (event) => {
      const [touch] = event.touches;
      if (last === null || touch === undefined || event.touches.length !== 1) return;
      const way = last.y - touch.clientY;
      if (!isScrolling && Math.abs(way) < SLACK_PX) return;
      isScrolling = true;
      event.preventDefault();
      speed = way / Math.max(1, event.timeStamp - last.at);
      last = { y: touch.clientY, at: event.timeStamp };
      roll(way, touch);
    },
    { passive: false, signal },
  );

  host.addEventListener(
    'touchend',
    ({ changedTouches: [touch] }) => {
      if (!isScrolling || touch === undefined || matchMedia('(prefers-reduced-motion: reduce)').matches)
        return;
      const at = { clientX: touch.clientX, clientY: touch.clientY };
      const glide = () => {
        speed *= GLIDE;
        if (Math.abs(speed) < 0.05 || signal.aborted) return;
        roll(speed * 16, at);
        frame = requestAnimationFrame(glide);
      };
      glide();
    },
    { passive: true, signal },
  );
}

function turnWheel(
  host: HTMLElement,
  deltaY: number,
  { clientX, clientY }: { readonly clientX: number; readonly clientY: number },
): void {
  const wheel = new WheelEvent('wheel', { deltaY, clientX, clientY, bubbles: true, cancelable: true });
  (host.querySelector('.xterm-screen') ?? host).dispatchEvent(wheel);
}

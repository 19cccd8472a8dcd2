/**
 * Scrolling with a finger. xterm scrolls by wheel only; a finger's way becomes that of a wheel, so that history,
 * programs that follow the mouse and full-screen programs all behave as with one.
 */

/** A finger that rests or trembles is about to select or to tap. */
const SLACK_PX = 6;
/** How much of its speed a lifted finger's scroll keeps from frame to frame. */
const GLIDE = 0.94;

export function scrollByTouch(host: HTMLElement, signal: AbortSignal): void {
  let last: { readonly y: number; readonly at: number } | null = null;
  let isScrolling = false;
  let speed = 0;
  let frame = 0;

  const roll = (deltaY: number, at: Touch | { clientX: number; clientY: number }) => {
    const target = host.querySelector('.xterm-screen') ?? host;
    target.dispatchEvent(
      new WheelEvent('wheel', {
        deltaY,
        clientX: at.clientX,
        clientY: at.clientY,
        bubbles: true,
        cancelable: true,
      }),
    );
  };

  host.addEventListener(
    'touchstart',
    ({ touches, timeStamp }) => {
      cancelAnimationFrame(frame);
      const [touch] = touches;
      last = touches.length === 1 && touch ? { y: touch.clientY, at: timeStamp } : null;
      isScrolling = false;
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

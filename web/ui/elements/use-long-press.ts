/** React hook for a finger that stays on an element: what a right click is for a mouse. */
import { type PointerEvent, useCallback, useEffect, useRef, useState } from 'react';

/** As on phones. */
const LONG_PRESS_MS = 500;
/** A finger never stays quite still. */
const MOVED_PX = 10;

interface Place {
  readonly x: number;
  readonly y: number;
}

export function useLongPress(onLongPress: (at: Place) => void) {
  const [isTouched, setTouched] = useState(false);
  const pressed = useRef<{ readonly at: Place; readonly timer: number } | null>(null);
  /** The finger's release is no click after a long press. */
  const wasLong = useRef(false);
  const stop = useCallback(() => {
    if (pressed.current !== null) clearTimeout(pressed.current.timer);
    pressed.current = null;
  }, []);
  useEffect(() => stop, [stop]);
  const handlers = {
    onPointerDown: ({ clientX: x, clientY: y, pointerType }: PointerEvent) => {
      stop();
      wasLong.current = false;
      setTouched(pointerType === 'touch');
      if (pointerType !== 'touch') return;
      const timer = window.setTimeout(() => {
        stop();
        wasLong.current = true;
        onLongPress({ x, y });
      }, LONG_PRESS_MS);
      pressed.current = { at: { x, y }, timer };
    },
    onPointerMove: ({ clientX, clientY }: PointerEvent) => {
      const at = pressed.current?.at;
      if (at !== undefined && Math.hypot(clientX - at.x, clientY - at.y) > MOVED_PX) stop();
    },
    onPointerUp: stop,
    onPointerCancel: stop,
  };
  const isClick = () => {
    const isShort = !wasLong.current;
    wasLong.current = false;
    return isShort;
  };
  return { handlers, isClick, isTouched };
}

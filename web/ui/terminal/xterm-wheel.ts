/**
 * The wheel in programs that fill the screen and know no mouse, as `less` and `man`: it presses cursor keys for them, which
 * xterm would do once a notch. Programs that know the mouse are told of the wheel itself.
 */
import type { Terminal } from '@xterm/xterm';
import { WheelLines } from './wheel-lines.ts';

export function scrollPrograms(terminal: Terminal): void {
  const wheel = new WheelLines();
  terminal.attachCustomWheelEventHandler((event) => {
    const isOurs = terminal.buffer.active.type === 'alternate' && terminal.modes.mouseTrackingMode === 'none';
    if (!isOurs || event.shiftKey) return true;
    event.preventDefault();
    const { deltaMode, deltaY, isTrusted } = event;
    const height = terminal.element?.querySelector('.xterm-screen')?.clientHeight ?? 0;
    const grid = { cellHeight: height / terminal.rows, rows: terminal.rows };
    const lines = wheel.take({ deltaMode, deltaY, isExact: !isTrusted }, grid);
    if (lines === 0) return false;
    const key = `\x1b${terminal.modes.applicationCursorKeysMode ? 'O' : '['}${lines < 0 ? 'A' : 'B'}`;
    terminal.input(key.repeat(Math.min(Math.abs(lines), terminal.rows)));
    return false;
  });
}

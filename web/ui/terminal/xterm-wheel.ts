/**
 * The wheel in full-screen programs that do not track the mouse, such as `less` and `man`: it sends cursor keys, which
 * xterm itself would send only once per notch. Programs that track the mouse get the wheel events themselves.
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

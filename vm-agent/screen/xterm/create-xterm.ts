/** Makes headless terminals. This is the only file that imports @xterm/headless. */
import headless from '@xterm/headless';
import type { Size } from '../../../protocol/frame.ts';
import { keepLinesInSlabs } from './line-slabs.ts';
import type { Xterm, XtermCore } from './xterm.ts';

export function createXterm(size: Size, scrollbackLines: number): Xterm {
  const terminal = new headless.Terminal({
    cols: size.cols,
    rows: size.rows,
    scrollback: scrollbackLines,
    allowProposedApi: true,
    // Our own handlers answer these two; without the options xterm does not call them.
    windowOptions: { getWinSizePixels: true, getCellSizePixels: true },
    // Binary output causes many parse errors; xterm would log each one to our standard error.
    logLevel: 'off',
  });
  const core = (terminal as unknown as { _core: XtermCore })._core;
  keepLinesInSlabs(core);
  return { terminal, core };
}

/** Makes headless terminals: the one doorway to @xterm/headless. */
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
    // A page full of binary is many parse errors; xterm would print each to our standard error.
    logLevel: 'off',
  });
  const core = (terminal as unknown as { _core: XtermCore })._core;
  keepLinesInSlabs(core);
  return { terminal, core };
}

/** Mouse reports in pixels agree with the size of a cell that programs are told. */
import { Terminal } from '@xterm/headless';
import { expect, it } from 'vitest';
import { type MousedCore, scaleMousePixels } from '../../../../../web/ui/terminal/images/mouse-pixels.ts';

interface Core extends MousedCore {
  readonly coreMouseService: MousedCore['coreMouseService'] & {
    triggerMouseEvent(event: object): boolean;
  };
}

it.each([
  { mode: 1016, report: '\x1b[<0;25;50M', what: 'scaled in pixels' },
  { mode: 1006, report: '\x1b[<0;3;3M', what: 'as they are in cells' },
])('[T5] reports of the mouse are $what', async ({ mode, report }) => {
  const terminal = new Terminal({ cols: 80, rows: 24, allowProposedApi: true });
  const { _core: core } = terminal as unknown as { readonly _core: Core };
  Object.assign(core, { _renderService: { dimensions: { css: { cell: { width: 8, height: 16 } } } } });
  scaleMousePixels(core);
  const sent: string[] = [];
  terminal.onData((data) => sent.push(data));
  await new Promise<void>((resolve) => terminal.write(`\x1b[?1003;${mode}h`, resolve));
  const event = { col: 2, row: 2, x: 20, y: 40, button: 0, action: 1, ctrl: false, alt: false, shift: false };
  core.coreMouseService.triggerMouseEvent(event);
  expect(sent).toEqual([report]);
});

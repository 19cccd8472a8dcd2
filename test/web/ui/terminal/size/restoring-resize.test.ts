/** A page whose terminal was emptied by a failed resize asks for the screen, once. */
import { Terminal } from '@xterm/headless';
import { describe, expect, it, vi } from 'vitest';
import type { ResizedCore } from '../../../../../protocol/terminal/resizing.ts';
import { RestoringResize } from '../../../../../web/ui/terminal/size/restoring-resize.ts';

/** A terminal, how often it was emptied, and how often its next calls of `resize` throw. */
function story() {
  const terminal = new Terminal({ cols: 80, rows: 24, allowProposedApi: true, logLevel: 'off' });
  const core = (terminal as unknown as { readonly _core: ResizedCore })._core;
  const emptied = vi.fn();
  const sizes = new RestoringResize(terminal, core, emptied);
  const attempts = vi.spyOn(terminal, 'resize');
  const fails = (times: number) => {
    for (let time = 0; time < times; time++)
      attempts.mockImplementationOnce(() => {
        throw new Error('a defect');
      });
  };
  return { sizes, emptied, fails };
}

describe('the terminal of a page', () => {
  it.each([
    [0, 0],
    [1, 0],
    [2, 1],
  ])('[SEC8] that xterm fails to resize %i times asks for its screen %i times', (failures, asks) => {
    const { sizes, emptied, fails } = story();
    fails(failures);
    sizes.resize({ cols: 40, rows: 12 });
    expect(emptied).toHaveBeenCalledTimes(asks);
  });

  it('[SEC8] does not ask again if the size that comes with its screen fails too, but does after one that did not', () => {
    const { sizes, emptied, fails } = story();
    fails(2);
    sizes.resize({ cols: 40, rows: 12 });
    fails(2);
    sizes.resize({ cols: 40, rows: 12 });
    expect(emptied).toHaveBeenCalledTimes(1);
    sizes.resize({ cols: 41, rows: 12 });
    fails(2);
    sizes.resize({ cols: 42, rows: 12 });
    expect(emptied).toHaveBeenCalledTimes(2);
  });
});

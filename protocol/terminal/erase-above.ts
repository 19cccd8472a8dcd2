/**
 * Works around a bug in xterm: `CSI 1 J` in the bottom right corner throws while there is no history, because xterm
 * accesses a row below the last. Erasing up to that corner erases everything, as `CSI 2 J` does. The agent and the page
 * both apply this.
 */

interface EraseId {
  readonly prefix: string;
  readonly final: string;
}

interface Core {
  readonly cols: number;
  readonly rows: number;
  readonly buffers: { readonly active: { readonly x: number; readonly y: number } };
  /** The parameters are shared: writing to them changes what xterm's own handler sees. */
  registerCsiHandler(id: EraseId, handle: (lent: { readonly params: Int32Array }) => boolean): void;
}

export function mendEraseAbove(core: Core): void {
  for (const prefix of ['', '?']) {
    core.registerCsiHandler({ prefix, final: 'J' }, ({ params }) => {
      const { x, y } = core.buffers.active;
      if (params[0] === 1 && x + 1 >= core.cols && y + 1 >= core.rows) params[0] = 2;
      return false;
    });
  }
}

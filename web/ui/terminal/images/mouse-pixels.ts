/**
 * Mouse reports in pixels (mode 1016), in the pixels that programs are told a cell has: those in which images are laid
 * out. xterm reports pixels of the window, which depend on its font.
 */
import { CELL_PX } from '../../../../protocol/terminal/images/cell-px.ts';

interface MouseEvent {
  /** In pixels of the window. */
  readonly x: number;
  readonly y: number;
}

/** The xterm internals that this needs. */
export interface MousedCore {
  readonly coreMouseService: {
    readonly _encodings: Readonly<Record<string, (event: MouseEvent) => string>>;
    addEncoding(name: string, encode: (event: MouseEvent) => string): void;
  };
  readonly _renderService?: {
    readonly dimensions: {
      readonly css: { readonly cell: { readonly width: number; readonly height: number } };
    };
  };
}

const NAME = 'SGR_PIXELS';

export function scaleMousePixels(core: MousedCore): void {
  const { coreMouseService: mouse } = core;
  const encode = mouse._encodings[NAME];
  if (encode === undefined) return;
  mouse.addEncoding(NAME, (event) => {
    const cell = core._renderService?.dimensions.css.cell ?? CELL_PX;
    const x = Math.floor((event.x * CELL_PX.width) / cell.width);
    const y = Math.floor((event.y * CELL_PX.height) / cell.height);
    return encode({ ...event, x, y });
  });
}

/** Finds the images that a page draws in its terminal, by their pixels. */
import type { Page } from 'playwright-core';

export interface DrawnImage {
  /** The first row of the window that shows it, and how many do. */
  readonly row: number;
  readonly rows: number;
  /** In pixels of the canvas. */
  readonly left: number;
}

/** The area of one colour, as `red,green,blue`; null if it is not drawn. */
export function drawnImage(page: Page, colour: string): Promise<DrawnImage | null> {
  return page.evaluate((wanted) => {
    const panel = '[role=tabpanel]:not([hidden])';
    const canvas = document.querySelector<HTMLCanvasElement>(`${panel} canvas.image-layer`);
    const context = canvas?.getContext('2d');
    const rows = document.querySelectorAll(`${panel} .xterm-rows > div`).length;
    if (!canvas || !context || canvas.width === 0 || rows === 0) return null;
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    const words = new Uint32Array(data.buffer);
    const [red = 0, green = 0, blue = 0] = wanted.split(',').map(Number);
    const word = ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
    const [first, last] = [words.indexOf(word), words.lastIndexOf(word)];
    if (first === -1) return null;
    const row = (at: number) => Math.floor(at / canvas.width) / (canvas.height / rows);
    const top = Math.round(row(first));
    return { row: top, rows: Math.round(row(last + canvas.width)) - top, left: first % canvas.width };
  }, colour);
}

/** Whether a place of the terminal has a colour; `x` in pixels of the page, from the left. */
export function isDrawnAt(
  page: Page,
  colour: string,
  place: { readonly row: number; readonly x: number },
): Promise<boolean> {
  return page.evaluate(
    ([wanted, { row, x }]) => {
      const panel = '[role=tabpanel]:not([hidden])';
      const canvas = document.querySelector<HTMLCanvasElement>(`${panel} canvas.image-layer`);
      const rows = document.querySelectorAll(`${panel} .xterm-rows > div`).length;
      const context = canvas?.getContext('2d');
      if (!canvas || !context || rows === 0) return false;
      const y = Math.floor(((row + 0.5) * canvas.height) / rows);
      const { data } = context.getImageData(x * devicePixelRatio, y, 1, 1);
      return data.join() === `${wanted},255`;
    },
    [colour, place] as const,
  );
}

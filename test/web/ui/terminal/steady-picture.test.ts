/** Nothing is drawn while one screen replaces another, and everything afterwards. */
import type { Terminal } from '@xterm/xterm';
import { expect, it } from 'vitest';
import { SteadyPicture } from '../../../../web/ui/terminal/steady-picture.ts';

class Renderer {
  readonly drawn: string[] = [];

  clear(): void {
    this.drawn.push('nothing');
  }

  renderRows(start: number, end: number): void {
    this.drawn.push(`${start} to ${end}`);
  }
}

function terminal(renderer: Renderer) {
  const decPrivateModes = { synchronizedOutput: true };
  const faked = {
    rows: 24,
    refresh: (start: number, end: number) => renderer.renderRows(start, end),
    _core: { _renderService: { _renderer: { value: renderer } }, coreService: { decPrivateModes } },
  };
  return { picture: new SteadyPicture(faked as unknown as Terminal), decPrivateModes };
}

it('[P21] draws nothing while drawing is held, and all rows when it is released, also during a wait', () => {
  const renderer = new Renderer();
  const { picture, decPrivateModes } = terminal(renderer);
  picture.hold();
  picture.hold();
  renderer.clear();
  renderer.renderRows(0, 5);
  expect(renderer.drawn).toEqual([]);
  picture.release();
  expect(renderer.drawn).toEqual(['0 to 23']);
  expect(decPrivateModes.synchronizedOutput).toBe(false);
  renderer.clear();
  expect(renderer.drawn).toEqual(['0 to 23', 'nothing']);
});

import { expect, it } from 'vitest';
import { gatherColourChanges } from '../../../../web/ui/terminal/colour-changes.ts';

it('[SEC8] many colour changes at once are drawn once, with their final result', async () => {
  const drawn: unknown[] = [];
  const service = {
    colors: { red: 0 },
    _onChangeColors: { fire: (colors: unknown) => void drawn.push(colors) },
  };
  gatherColourChanges({ _themeService: service });
  const change = (red: number) => {
    service.colors = { red };
    service._onChangeColors.fire(service.colors);
  };
  for (let red = 1; red <= 1000; red++) change(red);
  expect(drawn).toEqual([]);
  await Promise.resolve();
  expect(drawn).toEqual([{ red: 1000 }]);
  change(5);
  await Promise.resolve();
  expect(drawn).toEqual([{ red: 1000 }, { red: 5 }]);
});

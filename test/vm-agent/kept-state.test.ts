/** Which sessions of an earlier life an agent goes on with. */
import { expect, it } from 'vitest';
import { readConfig } from '../../vm-agent/config.ts';
import { openState } from '../../vm-agent/kept-state.ts';
import { ScreenPool } from '../../vm-agent/screen/pool.ts';
import { systemClock } from '../../vm-agent/system-clock.ts';
import { OpenStore, temporaryDirectory } from './disk/some-session.ts';

it('[R9] [AG8] those whose program runs and that are not to be closed by now', async () => {
  const { path, remove } = temporaryDirectory();
  await using cleanUp = new AsyncDisposableStack();
  cleanUp.defer(remove);
  const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
  const earlier = await OpenStore.at(path);
  earlier.session('plain');
  earlier.session('ended', { exit: { code: 0, signal: null } });
  earlier.session('overdue', { closeAt: inMs(-1) });
  earlier.session('due', { closeAt: inMs(3_600_000) });
  earlier.session('spared', { closeAt: null });
  await earlier.store.close();

  const screens = new ScreenPool({ clock: systemClock });
  cleanUp.defer(() => screens.close());
  const environment = {
    HOLDFAST_RELAY: 'https://relay.example',
    HOLDFAST_WORKSPACE: 'w',
    HOLDFAST_TOKEN_FILE: '/token',
    PTY_STATE_DIR: path,
  };
  const state = await openState(readConfig([], environment), screens);
  expect(state.revivals.map(({ old }) => old.id).sort()).toEqual(['due', 'plain', 'spared']);
  await state.close();
  const next = await OpenStore.at(path);
  cleanUp.defer(() => next.store.close());
  expect(next.recovered.map(({ id }) => id).sort()).toEqual(['due', 'plain', 'spared']);
});

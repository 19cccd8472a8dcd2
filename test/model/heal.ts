/** The end of every trouble, after which the model's promises must hold. */
import type { ModelWorld } from './model-world.ts';

/** Everything is connected, everything arrives, all pages read and are visible. */
export async function heal(world: ModelWorld): Promise<void> {
  const { pages } = world;
  for (const { seat } of pages) {
    if (seat === undefined) continue;
    seat.screen.isStalled = false;
    seat.screen.catchesUp();
    seat.session.setVisible(true);
  }
  for (let round = 0; round < 40; round++) {
    // A link that is up stays: a new one would repair what is stuck on it.
    if (!world.isLinked) world.linkAgent();
    world.life.pty.reads = true;
    world.life.pty.readsInput();
    for (const index of pages.keys()) {
      world.connect(index);
      world.reopen(index);
    }
    await world.deliverEverything();
    world.wait(100);
  }
}

/**
 * Tries every order in which the events of a short story can happen. The story is played again from its start for each
 * order; orders that lead to the same state are continued once.
 */
import type { ModelWorld } from './model-world.ts';

export interface Event {
  readonly name: string;
  readonly perform: (world: ModelWorld) => void;
  /** Whether it can happen now; an event without this happens once, at any time. */
  readonly isPossible?: (world: ModelWorld) => boolean;
}

interface Story {
  readonly begin: () => Promise<ModelWorld>;
  readonly events: readonly Event[];
  /** Everything follows that takes no time. */
  readonly settle: (world: ModelWorld) => Promise<void>;
  /** What tells two states apart: all that decides what can follow. */
  readonly stateOf: (world: ModelWorld) => unknown;
  /** Nothing more can happen. `order`: the names of what has happened. */
  readonly end: (world: ModelWorld, order: readonly string[]) => Promise<void>;
  /** Stop after so many states. */
  readonly statesMax: number;
}

export async function exploreOrders(story: Story): Promise<void> {
  const { begin, end, events, settle, stateOf, statesMax } = story;
  const seen = new Set<string>();
  const orders: (readonly Event[])[] = [[]];
  for (let order = orders.pop(); order !== undefined; order = orders.pop()) {
    const world = await begin();
    await settle(world);
    const happened: Event[] = [];
    for (const event of order) await happen(event);
    for (;;) {
      const left = events.filter((event) => event.isPossible !== undefined || !happened.includes(event));
      const state = JSON.stringify([stateOf(world), left.map(({ name }) => name)]);
      if (seen.has(state)) break;
      // Not only this order: the others would be played again only to end like this.
      if (seen.size >= statesMax) return;
      seen.add(state);
      const [next, ...others] = left.filter(({ isPossible }) => isPossible?.(world) ?? true);
      for (const other of others) orders.push([...happened, other]);
      if (next === undefined) {
        const names = happened.map(({ name }) => name);
        await end(world, names);
        break;
      }
      await happen(next);
    }

    async function happen(event: Event): Promise<void> {
      happened.push(event);
      event.perform(world);
      await settle(world);
    }
  }
}

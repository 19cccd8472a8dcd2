/**
 * The promise of the product, against random stories: what is shown is what was printed, and what the program
 * got is what was typed, once, whatever is cut, delayed, forgotten or slow in between.
 *
 * HOLDFAST_RUNS raises the number of stories; a failure prints the seed and the shortest story that fails.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ModelWorld } from './model-world.ts';

const RUNS = Number(process.env.HOLDFAST_RUNS ?? 300);
const PAGES = 2;

type Step =
  | { readonly do: 'print' | 'type'; readonly page: number; readonly length: number }
  | { readonly do: 'fromClient' | 'toClient'; readonly page: number; readonly frames: number }
  | { readonly do: 'fromAgent' | 'toAgent'; readonly frames: number }
  | { readonly do: 'cut' | 'connect' | 'stall' | 'wake'; readonly page: number }
  | { readonly do: 'cutAgent' | 'linkAgent' | 'hibernate' | 'read' | 'ignoreInput' }
  | { readonly do: 'wait'; readonly ms: number };

const page = fc.nat(PAGES - 1);
const frames = fc.integer({ min: 1, max: 5 });
const kinds = <K extends Step['do']>(...names: K[]) => fc.constantFrom(...names);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: kinds('print', 'type'), page, length: fc.integer({ min: 1, max: 40 }) }),
  },
  { weight: 10, arbitrary: fc.record({ do: kinds('fromClient', 'toClient'), page, frames }) },
  { weight: 8, arbitrary: fc.record({ do: kinds('fromAgent', 'toAgent'), frames }) },
  { weight: 3, arbitrary: fc.record({ do: kinds('cut', 'connect', 'connect', 'stall', 'wake'), page }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: kinds('cutAgent', 'linkAgent', 'linkAgent', 'hibernate', 'read', 'ignoreInput'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: kinds('wait'), ms: fc.integer({ min: 1, max: 3000 }) }) },
);

let letters = 0;
/** Text that is different every time, so that a repetition can not pass for what is due. */
function text(length: number): string {
  return Array.from({ length }, () => String.fromCharCode(33 + (letters++ % 90))).join('');
}

function times(count: number, act: () => void): void {
  for (let n = 0; n < count; n++) act();
}

function perform(world: ModelWorld, current: Step): void {
  switch (current.do) {
    case 'print':
      return world.prints(text(current.length));
    case 'type':
      return world.types(current.page, text(current.length));
    case 'cut':
      return world.cut(current.page);
    case 'connect':
      return world.connect(current.page);
    case 'fromClient':
      return times(current.frames, () => world.deliverFromClient(current.page));
    case 'toClient':
      return times(current.frames, () => world.deliverToClient(current.page));
    case 'stall':
    case 'wake': {
      const shown = world.clients[current.page]?.screen;
      if (shown !== undefined) shown.isStalled = current.do === 'stall';
      return current.do === 'wake' ? shown?.catchesUp() : undefined;
    }
    case 'cutAgent':
      return world.cutAgent();
    case 'linkAgent':
      return world.linkAgent();
    case 'hibernate':
      return world.hibernate();
    case 'fromAgent':
      return times(current.frames, () => world.deliverFromAgent());
    case 'toAgent':
      return times(current.frames, () => world.deliverToAgent());
    case 'read':
      world.pty.reads = true;
      return world.pty.readsInput();
    case 'ignoreInput':
      world.pty.reads = false;
      return;
    case 'wait':
      return world.clock.advance(current.ms);
  }
}

/** Nothing is left out or comes twice: two streams were merged, each in its own order. */
function isInterleavingOf(merged: string, first: string, second: string): boolean {
  let reachable = new Set<number>([0]);
  for (let at = 0; at < merged.length; at++) {
    const next = new Set<number>();
    for (const i of reachable) {
      if (first[i] === merged[at]) next.add(i + 1);
      if (second[at - i] === merged[at]) next.add(i);
    }
    reachable = next;
  }
  return merged.length === first.length + second.length && reachable.has(first.length);
}

describe('streams over a relay that remembers nothing', () => {
  it(
    '[OU2] [OU8] [IN2] [IN4] what is shown is what was printed, what was typed is typed once, in any story',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
          const world = new ModelWorld(PAGES);
          await world.heal(2);
          for (const current of steps) {
            perform(world, current);
            await world.settle();
            for (const { screen } of world.clients)
              expect(world.printed.startsWith(screen.text), screen.text).toBe(true);
          }
          world.pty.reads = true;
          await world.heal();
          for (const client of world.clients) {
            expect(client.screen.text).toBe(world.printed);
            expect(client.session?.state.name).toBe('live');
            expect(client.session?.unsentBytes).toBe(0);
          }
          const [one, two] = world.clients.map(({ session, typed }) =>
            typed.slice(0, typed.length - (session?.discardedBytes ?? 0)),
          );
          expect(
            isInterleavingOf(world.pty.typed, one ?? '', two ?? ''),
            `${world.pty.typed} of ${one} and ${two}`,
          ).toBe(true);
        }),
        { numRuns: RUNS },
      );
    },
    Math.max(60_000, RUNS * 200),
  );
});

/** The possible steps of a story, their probability, and how they are done. */
import fc from 'fast-check';
import type { ModelWorld } from './model-world.ts';

export type Step =
  | { readonly do: 'print' | 'flood'; readonly length: number }
  | { readonly do: 'type' | 'paste'; readonly page: number; readonly length: number }
  | { readonly do: 'fromPage' | 'toPage' | 'hearLate'; readonly page: number; readonly frames: number }
  | { readonly do: 'fromAgent' | 'toAgent' | 'lateFromAgent' | 'everywhere'; readonly frames: number }
  | { readonly do: PageEvent; readonly page: number }
  | { readonly do: WorldEvent }
  | { readonly do: 'restart'; readonly kept: number | null }
  | { readonly do: 'wait'; readonly ms: number };

type PageEvent =
  | 'cut'
  | 'abandon'
  | 'connect'
  | 'forgetLate'
  | 'reopen'
  | 'stall'
  | 'wake'
  | 'hide'
  | 'look'
  | 'resize'
  | 'redraw'
  | 'attachAgain'
  | 'unpack';
type WorldEvent =
  | 'cutAgent'
  | 'loseAgent'
  | 'linkAgent'
  | 'hibernate'
  | 'read'
  | 'ignoreInput'
  | 'paint'
  | 'failToPaint'
  | 'resetRelay'
  | 'exit';

const frames = fc.integer({ min: 1, max: 6 });
const kinds = <K extends Step['do']>(...names: K[]) => fc.constantFrom(...names);

export function anyStep(pages: number): fc.Arbitrary<Step> {
  const page = fc.nat(pages - 1);
  const few = fc.integer({ min: 1, max: 40 });
  /** More than a window holds, in a few of them. */
  const many = fc.integer({ min: 1000, max: 60_000 });
  return fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: kinds('print'), length: few }) },
    { weight: 2, arbitrary: fc.record({ do: kinds('flood'), length: many }) },
    { weight: 4, arbitrary: fc.record({ do: kinds('type'), page, length: few }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: kinds('paste'), page, length: fc.integer({ min: 41, max: 5000 }) }),
    },
    // Without these a story would not get far; the single ones below change the order of frames.
    { weight: 8, arbitrary: fc.record({ do: kinds('everywhere'), frames }) },
    { weight: 6, arbitrary: fc.record({ do: kinds('fromPage', 'toPage'), page, frames }) },
    { weight: 6, arbitrary: fc.record({ do: kinds('fromAgent', 'toAgent'), frames }) },
    { weight: 1, arbitrary: fc.record({ do: kinds('hearLate'), page, frames }) },
    { weight: 1, arbitrary: fc.record({ do: kinds('lateFromAgent'), frames }) },
    { weight: 3, arbitrary: fc.record({ do: kinds('connect', 'unpack'), page }) },
    { weight: 2, arbitrary: fc.record({ do: kinds('cut', 'abandon', 'forgetLate', 'reopen'), page }) },
    { weight: 2, arbitrary: fc.record({ do: kinds('stall', 'wake', 'wake', 'hide', 'look', 'look'), page }) },
    { weight: 1, arbitrary: fc.record({ do: kinds('resize', 'redraw', 'attachAgain'), page }) },
    { weight: 4, arbitrary: fc.record({ do: kinds('paint', 'linkAgent') }) },
    { weight: 2, arbitrary: fc.record({ do: kinds('cutAgent', 'loseAgent', 'hibernate') }) },
    { weight: 1, arbitrary: fc.record({ do: kinds('failToPaint', 'resetRelay') }) },
    { weight: 1, arbitrary: fc.record({ do: kinds('read', 'ignoreInput') }) },
    { weight: 1, arbitrary: fc.record({ do: kinds('restart'), kept: fc.option(fc.nat(200)) }) },
    { weight: 3, arbitrary: fc.record({ do: kinds('wait'), ms: fc.integer({ min: 1, max: 3000 }) }) },
    // Long enough for input typed while disconnected to become too old.
    { weight: 1, arbitrary: fc.record({ do: kinds('wait'), ms: fc.integer({ min: 3000, max: 45_000 }) }) },
    { weight: 1, arbitrary: fc.record({ do: kinds('exit', ...Array(9).fill('hibernate' as const)) }) },
  );
}

function times(count: number, act: () => void): void {
  for (let n = 0; n < count; n++) act();
}

export function perform(world: ModelWorld, step: Step): void {
  switch (step.do) {
    case 'print':
    case 'flood':
      return world.prints(step.length);
    case 'type':
    case 'paste':
      return world.pages[step.page]?.types(step.length);
    case 'fromPage':
      return times(step.frames, () => world.deliverFromPage(step.page));
    case 'toPage':
      return times(step.frames, () => world.deliverToPage(step.page));
    case 'hearLate':
      return times(step.frames, () => world.hearLate(step.page));
    case 'fromAgent':
      return times(step.frames, () => world.deliverFromAgent());
    case 'toAgent':
      return times(step.frames, () => world.deliverToAgent());
    case 'lateFromAgent':
      return times(step.frames, () => world.deliverLateFromAgent());
    case 'everywhere':
      return times(step.frames, () => world.deliverEverywhere());
    case 'restart':
      return world.restartAgent(step.kept);
    case 'wait':
      return world.wait(step.ms);
    default:
      return 'page' in step ? pageEvent(world, step) : worldEvent(world, step.do);
  }
}

function pageEvent(world: ModelWorld, event: { readonly do: PageEvent; readonly page: number }): void {
  const page = world.pages[event.page];
  switch (event.do) {
    case 'cut':
    case 'abandon':
    case 'connect':
    case 'forgetLate':
    case 'reopen':
      return world[event.do](event.page);
    case 'unpack':
    case 'attachAgain':
      return page?.[event.do]();
    case 'redraw':
      return page?.seat?.session.redraw();
    case 'resize':
      return page?.resizes();
    case 'hide':
    case 'look':
      return page?.seat?.session.setVisible(event.do === 'look');
    case 'stall':
      if (page?.seat !== undefined) page.seat.screen.isStalled = true;
      return;
    case 'wake':
      if (page?.seat !== undefined) page.seat.screen.isStalled = false;
      return page?.seat?.screen.catchesUp();
  }
}

function worldEvent(world: ModelWorld, event: WorldEvent): void {
  switch (event) {
    case 'cutAgent':
    case 'loseAgent':
    case 'linkAgent':
    case 'hibernate':
    case 'resetRelay':
      return world[event]();
    case 'paint':
      return world.life.screen.paint();
    case 'failToPaint':
      return world.life.screen.fail(undefined);
    case 'exit':
      return world.exits();
    case 'read':
      world.life.pty.reads = true;
      return world.life.pty.readsInput();
    case 'ignoreInput':
      world.life.pty.reads = false;
  }
}

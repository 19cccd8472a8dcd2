/**
 * A program prints one line and is silent. A page attaches meanwhile, and something happens to a connection, the screen
 * or the page. In whatever order all of this happens, the page ends with the line: nothing that comes later would tell
 * it that a byte is missing. Every order is tried, with frames in flight on one of the two legs.
 *
 * Three of the stories have more states than all others together. `npm test` explores the first part of these, and
 * `HOLDFAST_RUNS=1 npm test -- hand-over` all of them.
 */
import { describe, expect, it } from 'vitest';
import type { WireFrame } from '../../protocol/connection.ts';
import { decodeHeader } from '../../protocol/frame.ts';
import { type Event, exploreOrders } from './explore-orders.ts';
import { heal } from './heal.ts';
import type { ModelPage } from './model-page.ts';
import { ModelWorld } from './model-world.ts';

const LINE_BYTES = 20;
const HISTORY_BYTES = 3000;
const PAGE = 0;
/** All states of most stories. */
const STATES_MAX = process.env.HOLDFAST_RUNS === undefined ? 800 : Number.POSITIVE_INFINITY;

const pageOf = (world: ModelWorld) => world.pages[PAGE] as ModelPage;

const DISTURBANCES: readonly (readonly [Event['name'], Event['perform']])[] = [
  ['nothing else happens', () => {}],
  ['the page is cut off', (world) => world.cut(PAGE)],
  ['the page gives up its socket', (world) => world.abandon(PAGE)],
  ['the agent is cut off', (world) => world.cutAgent()],
  ['the agent gives up its link', (world) => world.loseAgent()],
  ['the agent dials again', (world) => world.linkAgent()],
  ['the relay is reset', (world) => world.resetRelay()],
  ['the relay hibernates', (world) => world.hibernate()],
  ['there is no screen', (world) => world.life.screen.fail(undefined)],
  ['the screen is too large', (world) => world.life.screen.fail('too large')],
  ['the page is hidden', (world) => pageOf(world).seat?.session.setVisible(false)],
  ['the window is resized', (world) => pageOf(world).resizes()],
  ['the page redraws', (world) => pageOf(world).seat?.session.redraw()],
  ['the page attaches again', (world) => pageOf(world).attachAgain()],
  ['a second passes', (world) => world.wait(1_000)],
];

/** What may happen whenever it can. */
const MOVES: readonly Event[] = [
  {
    name: 'to agent',
    perform: (world) => world.deliverToAgent(),
    isPossible: (world) => world.inFlight(PAGE).toAgent.length > 0,
  },
  {
    name: 'from agent',
    perform: (world) => world.deliverFromAgent(),
    isPossible: (world) => world.inFlight(PAGE).fromAgent.length > 0,
  },
  {
    name: 'to page',
    perform: (world) => world.deliverToPage(PAGE),
    isPossible: (world) => world.inFlight(PAGE).toPage.length > 0,
  },
  {
    name: 'from page',
    perform: (world) => world.deliverFromPage(PAGE),
    isPossible: (world) => world.inFlight(PAGE).fromPage.length > 0,
  },
  {
    name: 'from agent, late',
    perform: (world) => world.deliverLateFromAgent(),
    isPossible: (world) => world.inFlight(PAGE).late.length > 0,
  },
  {
    name: 'from page, late',
    perform: (world) => world.hearLate(PAGE),
    isPossible: (world) => pageOf(world).abandoned[0]?.hasSpoken === true,
  },
  {
    name: 'the old socket ends',
    perform: (world) => world.forgetLate(PAGE),
    isPossible: (world) => pageOf(world).abandoned[0]?.hasSpoken === false,
  },
  {
    name: 'snapshot taken',
    perform: (world) => world.life.screen.paint(),
    isPossible: (world) => world.life.screen.isAsked,
  },
  {
    name: 'snapshot inflated',
    perform: (world) => pageOf(world).unpack(),
    isPossible: (world) => pageOf(world).unpacking.length > 0,
  },
  {
    name: 'agent dials',
    perform: (world) => world.linkAgent(),
    isPossible: (world) => !world.isLinked,
  },
  {
    name: 'page dials',
    perform: (world) => world.connect(PAGE),
    isPossible: (world) => pageOf(world).socket === undefined,
  },
  {
    name: 'shown again',
    perform: (world) => pageOf(world).seat?.session.setVisible(true),
    isPossible: (world) => pageOf(world).seat?.session.isVisible === false,
  },
];

/** What a frame is, without the random parts. */
function labelOf(frame: WireFrame): string {
  if (typeof frame !== 'string') {
    const { kind, channel, offset } = decodeHeader(frame);
    return `${kind} ${channel} ${offset} ${frame.length}`;
  }
  if (!frame.startsWith('{')) return frame;
  const { message, ...outside } = JSON.parse(frame);
  const { type, from, to } = message ?? outside;
  return [outside.type, outside.channel, type, from, to].join(' ');
}

/** Everything that decides what can still happen. */
function stateOf(world: ModelWorld): unknown {
  const { abandoned, replay, seat, socket, unpacking } = pageOf(world);
  const { agent, printed, screen } = world.life;
  return {
    inFlight: Object.values(world.inFlight(PAGE)).map((frames) => frames.map(labelOf)),
    late: abandoned.map(({ unheard }) => unheard.map(labelOf)),
    agent: [world.clock.now(), printed.length, world.isLinked, screen.isAsked],
    screen: [screen.behindBytes, screen.resizedAt],
    attached: agent.sessions.list().flatMap(({ audience }) =>
      audience.channels().map((channel) => {
        const viewer = audience.viewer(channel);
        return viewer && [channel, audience.isDue(viewer), audience.isFollowing(viewer)];
      }),
    ),
    page: [socket === undefined, unpacking, seat?.session.state.name, seat?.session.isVisible],
    replay: replay.map(labelOf),
    shown: [seat?.session.handle === undefined, seat?.screen.from, seat?.screen.text.length],
  };
}

/** Frames take no time on a fast leg: they have arrived before anything else happens. */
async function settle(world: ModelWorld, fast: 'agent' | 'page'): Promise<void> {
  for (;;) {
    await world.settle();
    const { fromAgent, fromPage, toAgent, toPage } = world.inFlight(PAGE);
    if ((fast === 'agent' ? fromAgent.length + toAgent.length : fromPage.length + toPage.length) === 0)
      return;
    if (fast === 'agent') {
      world.deliverFromAgent();
      world.deliverToAgent();
    } else {
      world.deliverFromPage(PAGE);
      world.deliverToPage(PAGE);
    }
  }
}

async function begin(): Promise<ModelWorld> {
  const world = new ModelWorld(['operator'], HISTORY_BYTES, 0);
  world.linkAgent();
  await world.deliverEverything();
  world.connect(PAGE);
  return world;
}

async function expectTheLine(world: ModelWorld, order: readonly string[]): Promise<void> {
  await heal(world);
  const { seat } = pageOf(world);
  const story = order.join('\n');
  expect(seat?.session.state.name, story).toBe('live');
  expect(seat?.screen.isAllOf(world.life.printed), story).toBe(true);
}

// With both slow there are several times as many states.
describe.each([
  ['agent', 'page'],
  ['page', 'agent'],
] as const)('a page attaches while the leg of the %s is slow', (_, fast) => {
  it.each(DISTURBANCES)('[F21] [OU1] and shows the last line if %s', async (name, perform) => {
    await exploreOrders({
      begin,
      events: [
        ...MOVES,
        { name: 'the line', perform: (world) => world.prints(LINE_BYTES) },
        { name, perform },
      ],
      settle: (world) => settle(world, fast),
      stateOf,
      end: expectTheLine,
      statesMax: STATES_MAX,
    });
  });
});

/** What holds after any history of a Connection, however unlikely. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CLOSE } from '../../protocol/close-codes.ts';
import { type Connecting, connecting } from '../support/connecting.ts';

type Step = (all: Connecting) => void;

const named = (name: string, step: Step): Step => Object.assign(step, { [fc.toStringMethod]: () => name });

/** Any socket ever dialled, so that those given up long ago speak up too. */
const far = (act: string, run: (pair: Connecting['network']['latest']) => void) =>
  fc.nat(4).map((age) =>
    named(`${act} #-${age}`, ({ network }) => {
      const pair = network.pairs.at(-1 - age);
      if (pair !== undefined && pair.state !== 'ended') run(pair);
    }),
  );

const code = fc.constantFrom(
  CLOSE.abnormal,
  CLOSE.goingAway,
  CLOSE.unauthorized,
  CLOSE.tooMany,
  CLOSE.forbidden,
);

const step: fc.Arbitrary<Step> = fc.oneof(
  far('accept', (pair) => pair.state === 'dialing' && pair.accept()),
  far('send', (pair) => pair.state === 'open' && pair.send('pong')),
  far('silence', (pair) => pair.goSilent()),
  far('cut', (pair) => pair.cut()),
  code.chain((value) =>
    far(`end ${value}`, (pair) => (pair.state === 'open' ? pair.close(value) : pair.refuse(value))),
  ),
  fc.nat(20_000).map((ms) => named(`advance ${ms}`, ({ clock }) => clock.advance(ms))),
  fc.constant(named('retryNow', ({ connection }) => connection.retryNow())),
  fc.constant(named('probe', ({ connection }) => connection.probe())),
  fc.constant(named('redial', ({ connection }) => connection.redial('again'))),
  fc.constant(
    named('send', ({ connection }) => {
      expect(connection.send('frame')).toBe(connection.state.name === 'open');
    }),
  ),
);

/** One socket while dialing or open and it is the newest, none otherwise; exactly one timer unless closed. */
function checkInvariants({ clock, connection, network, states }: Connecting): void {
  const { state } = connection;
  expect(network.held.map((pair) => pair.near)).toEqual('socket' in state ? [state.socket] : []);
  if ('socket' in state) expect(state.socket).toBe(network.latest.near);
  expect(clock.pending).toBe(state.name === 'closed' ? 0 : 1);
  expect(states.at(-1)).toBe(state.name);
}

describe('Connection, for any history', () => {
  it('[CN1] [CN4] holds one socket and one timer at most, and none once closed', () => {
    const visited = new Set<string>();
    const dice = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.boolean(), dice, (steps, renewable, value) => {
        const all = connecting({ renewable, random: () => value });
        for (const take of steps) {
          take(all);
          checkInvariants(all);
          visited.add(all.connection.state.name);
        }
        all.connection.close();
        checkInvariants(all);
      }),
      { numRuns: 2_000, seed: 20261117 },
    );
    // Histories that never get anywhere would prove nothing.
    expect([...visited].sort()).toEqual(['closed', 'dialing', 'open', 'waiting']);
  });

  it('[CN1] a peer that is there again is reached, whatever happened before', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const all = connecting({ renewable: true });
        for (const take of steps) take(all);
        fc.pre(all.connection.state.name !== 'closed');
        // An open socket may be a silent one, which takes a heartbeat and a retry to find out.
        for (let waited = 0; waited < 60_000; waited += 100) {
          const pair = all.network.latest;
          if (pair.state === 'dialing') pair.accept();
          if (pair.state === 'open' && pair.heard.at(-1) === 'ping') pair.send('pong');
          all.clock.advance(100);
        }
        expect(all.connection.state.name).toBe('open');
      }),
    );
  });
});

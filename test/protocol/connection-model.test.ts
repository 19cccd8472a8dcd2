/** What holds for a Connection after any sequence of events. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CLOSE } from '../../protocol/close-codes.ts';
import { type Connecting, connecting } from '../support/connecting.ts';
import { checkProperty } from '../support/property.ts';

type Pair = Connecting['network']['latest'];

/** What a peer may do; a step that does not fit the state of its socket does nothing. */
const FAR = {
  accept: (pair: Pair) => pair.state === 'dialing' && pair.accept(),
  send: (pair: Pair) => pair.state === 'open' && pair.send('pong'),
  silence: (pair: Pair) => pair.goSilent(),
  cut: (pair: Pair) => pair.cut(),
};
const NEAR = {
  retryNow: ({ connection }: Connecting) => connection.retryNow(),
  probe: ({ connection }: Connecting) => connection.probe(),
  redial: ({ connection }: Connecting) => connection.redial('again'),
  send: ({ connection }: Connecting) =>
    expect(connection.send('frame')).toBe(connection.state.name === 'open'),
};

/** `age` 0 is the socket dialled last; sockets that were abandoned long ago send events too. */
type Step =
  | { readonly far: keyof typeof FAR; readonly age: number }
  | { readonly end: number; readonly age: number }
  | { readonly near: keyof typeof NEAR }
  | { readonly advanceMs: number };

const age = fc.nat(4);
const code = fc.constantFrom(
  CLOSE.abnormal,
  CLOSE.goingAway,
  CLOSE.unauthorized,
  CLOSE.tooMany,
  CLOSE.forbidden,
);
const keys = <K extends string>(table: Readonly<Record<K, unknown>>) =>
  fc.constantFrom(...(Object.keys(table) as K[]));

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ far: keys(FAR), age }) },
  { weight: 1, arbitrary: fc.record({ end: code, age }) },
  { weight: 1, arbitrary: fc.record({ advanceMs: fc.nat(20_000) }) },
  { weight: 4, arbitrary: fc.record({ near: keys(NEAR) }) },
);

function take(all: Connecting, one: Step): void {
  if ('advanceMs' in one) return all.clock.advance(one.advanceMs);
  if ('near' in one) return void NEAR[one.near](all);
  const pair = all.network.pairs.at(-1 - one.age);
  if (pair === undefined || pair.state === 'ended') return;
  if ('far' in one) FAR[one.far](pair);
  else if (pair.state === 'open') pair.close(one.end);
  else pair.refuse(one.end);
}

/** One socket while dialing or open and it is the newest, none otherwise; exactly one timer unless closed. */
function checkInvariants({ clock, connection, network, states }: Connecting): void {
  const { state } = connection;
  expect(network.held.map((pair) => pair.near)).toEqual('socket' in state ? [state.socket] : []);
  if ('socket' in state) expect(state.socket).toBe(network.latest.near);
  expect(clock.pending).toBe(state.name === 'closed' ? 0 : 1);
  expect(states.at(-1)).toBe(state.name);
}

describe('Connection, after any sequence of events', () => {
  it('[CN1] [CN4] has at most one socket and one timer, and none once closed', () => {
    const visited = new Set<string>();
    const dice = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    checkProperty(
      'connection-history',
      fc.property(fc.array(step, { maxLength: 40 }), fc.boolean(), dice, (steps, renewable, value) => {
        const all = connecting({ renewable, random: () => value });
        for (const one of steps) {
          take(all, one);
          checkInvariants(all);
          visited.add(all.connection.state.name);
        }
        all.connection.close();
        checkInvariants(all);
      }),
      { numRuns: 2_000 },
    );
    // Histories that never connect would prove nothing.
    expect([...visited].sort()).toEqual(['closed', 'dialing', 'open', 'waiting']);
  });

  it('[CN1] reaches a peer that is available again, whatever happened before', () => {
    checkProperty(
      'connection-recovers',
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const all = connecting({ renewable: true });
        for (const one of steps) take(all, one);
        fc.pre(all.connection.state.name !== 'closed');
        // An open socket may be a silent one, which takes a heartbeat and a retry to detect.
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

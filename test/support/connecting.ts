/** A Connection on a fake network, with a record of everything it reported to its owner. */
import {
  Connection,
  type ConnectionOptions,
  type ConnectionState,
  type WireFrame,
} from '../../protocol/connection.ts';
import { FakeClock } from './fake-clock.ts';
import { FakeNetwork, type SocketPair } from './socket-pair.ts';

export interface Connecting {
  readonly clock: FakeClock;
  readonly network: FakeNetwork;
  readonly connection: Connection;
  readonly states: ConnectionState['name'][];
  readonly received: WireFrame[];
}

/** `random` is 0.5 by default: each wait is half of its ceiling. */
export function connecting(options: Partial<ConnectionOptions> = {}): Connecting {
  const clock = new FakeClock();
  const network = new FakeNetwork();
  const states: ConnectionState['name'][] = [];
  const received: WireFrame[] = [];
  const connection = new Connection({
    dial: network.dial,
    clock,
    random: () => 0.5,
    watched: () => true,
    renewable: false,
    stateChanged: (state) => states.push(state.name),
    received: (frame) => received.push(frame),
    ...options,
  });
  return { clock, network, connection, states, received };
}

/** The same, already open. */
export function connected(
  options: Partial<ConnectionOptions> = {},
): Connecting & { readonly far: SocketPair } {
  const all = connecting(options);
  all.network.latest.accept();
  return { ...all, far: all.network.latest };
}

/** Rules CN1 and CN4 to CN6: the states and their transitions. Timing is in connection-timing.test.ts. */
import { describe, expect, it } from 'vitest';
import { CLOSE } from '../../protocol/close-codes.ts';
import type { ConnectionState } from '../../protocol/connection.ts';
import { connected, connecting } from '../support/connecting.ts';

const A_MINUTE_MS = 60_000;

describe('states', () => {
  it('[CN1] dials at once, opens, waits when the socket is lost, and dials again', () => {
    const { clock, network, connection, states } = connecting();
    expect(connection.state.name).toBe('dialing');
    network.latest.accept();
    network.latest.cut();
    expect(network.dials).toBe(1);
    clock.advance(1_000);
    network.latest.accept();
    expect(states).toEqual(['dialing', 'open', 'waiting', 'dialing', 'open']);
  });

  it('[CN1] waits and dials again when it is refused', () => {
    const { clock, network, states } = connecting();
    network.latest.refuse();
    clock.advance(1_000);
    expect(states).toEqual(['dialing', 'waiting', 'dialing']);
  });

  it('[CN1] reports when the next attempt comes and why', () => {
    const { clock, connection, far } = connected();
    clock.advance(5_000);
    far.close(CLOSE.goingAway);
    expect(connection.state).toMatchObject({ name: 'waiting', retryAt: 5_500, code: CLOSE.goingAway });
  });

  it.each(['dialing', 'open', 'waiting'] as const)('[CN1] ends for good when closed while %s', (name) => {
    const { clock, connection, network, states } = connecting();
    if (name !== 'dialing') network.latest.accept();
    if (name === 'waiting') network.latest.cut();
    expect(connection.state.name).toBe(name);

    connection.close(CLOSE.goingAway, 'the page is leaving');
    clock.advance(A_MINUTE_MS);
    expect(connection.state).toEqual({
      name: 'closed',
      code: CLOSE.goingAway,
      reason: 'the page is leaving',
    });
    expect(states.at(-1)).toBe('closed');
    expect(network.dials).toBe(1);
    expect(clock.pending).toBe(0);
  });

  it('[CN1] closes the socket with its reason', () => {
    const { connection, far } = connected();
    connection.close(CLOSE.goingAway, 'the page is leaving');
    expect(far.closedByNear).toEqual({ code: CLOSE.goingAway, reason: 'the page is leaving' });
  });

  it('[CN1] keeps the reason of the first close', () => {
    const { connection, far, states } = connected();
    far.close(CLOSE.replaced, 'a newer agent');
    connection.close();
    connection.retryNow();
    connection.probe();
    connection.redial('again');
    expect(connection.state).toEqual({ name: 'closed', code: CLOSE.replaced, reason: 'a newer agent' });
    expect(states).toEqual(['dialing', 'open', 'closed']);
  });
});

describe('late events', () => {
  /** Continues from a first socket, which is abandoned but does not know it yet, to an open second one. */
  function movedOn() {
    const all = connected();
    all.connection.redial('the agent is a new one');
    all.clock.advance(1_000);
    all.network.latest.accept();
    return all;
  }

  it('[CN4] ignores a socket that it has given up', () => {
    const { far, received } = movedOn();
    far.send('old news');
    expect(received).toEqual([]);
  });

  it('[CN4] stays open when a socket that it has given up closes, whatever the code', () => {
    const { connection, far, network, states } = movedOn();
    far.close(CLOSE.forbidden, 'not you');
    expect(connection.state).toMatchObject({ name: 'open', socket: network.latest.near });
    expect(states).toEqual(['dialing', 'open', 'waiting', 'dialing', 'open']);
  });

  it('[CN4] ignores a socket that opens after its dial was given up', () => {
    const { clock, connection, network } = connecting();
    const [slow] = network.pairs;
    clock.advance(11_000);
    expect(network.dials).toBe(2);
    slow?.accept();
    expect(connection.state).toMatchObject({ name: 'dialing', socket: network.latest.near });
  });

  it('[CN4] ignores everything once closed', () => {
    const { connection, far, received, states } = connected();
    connection.close();
    far.send('too late');
    far.close(CLOSE.abnormal);
    expect(received).toEqual([]);
    expect(states.at(-1)).toBe('closed');
  });
});

describe('close codes', () => {
  type Outcome = ConnectionState['name'];
  const rows: { code: number; renewable: boolean; leadsTo: Outcome }[] = [
    { code: CLOSE.abnormal, renewable: false, leadsTo: 'waiting' },
    { code: CLOSE.goingAway, renewable: false, leadsTo: 'waiting' },
    { code: CLOSE.tooMany, renewable: false, leadsTo: 'waiting' },
    { code: 4999, renewable: false, leadsTo: 'waiting' },
    { code: CLOSE.unauthorized, renewable: false, leadsTo: 'closed' },
    { code: CLOSE.unauthorized, renewable: true, leadsTo: 'waiting' },
    { code: CLOSE.normal, renewable: true, leadsTo: 'closed' },
    { code: CLOSE.forbidden, renewable: true, leadsTo: 'closed' },
    { code: CLOSE.replaced, renewable: true, leadsTo: 'closed' },
    { code: CLOSE.protocolError, renewable: true, leadsTo: 'closed' },
    { code: CLOSE.versionUnsupported, renewable: true, leadsTo: 'closed' },
  ];

  it.each(rows)('[CN5] is $leadsTo after $code from an open socket, renewable: $renewable', (row) => {
    const { clock, connection, far, network } = connected({ renewable: row.renewable });
    far.close(row.code, 'because');
    expect(connection.state).toMatchObject({ name: row.leadsTo, code: row.code });
    clock.advance(A_MINUTE_MS);
    expect(network.dials > 1).toBe(row.leadsTo === 'waiting');
  });

  it.each(rows)('[CN5] is $leadsTo after $code from a refused dial, renewable: $renewable', (row) => {
    const { connection, network } = connecting({ renewable: row.renewable });
    network.latest.refuse(row.code, 'because');
    expect(connection.state).toMatchObject({ name: row.leadsTo, code: row.code });
  });
});

describe('frames', () => {
  it('[CN6] travel both ways in order while open', () => {
    const { connection, far, received } = connected();
    const bytes = Uint8Array.of(1, 2, 3);
    expect(connection.send('one')).toBe(true);
    expect(connection.send(bytes)).toBe(true);
    far.send(bytes);
    far.send('two');
    expect(far.heard).toEqual(['one', bytes]);
    expect(received).toEqual([bytes, 'two']);
  });

  it('[CN6] are refused while disconnected and never sent later', () => {
    const { clock, connection, network } = connecting();
    const answers = [connection.send('while dialing')];
    network.latest.accept();
    network.latest.cut();
    answers.push(connection.send('while waiting'));
    clock.advance(1_000);
    network.latest.accept();
    expect(network.latest.heard).toEqual([]);
    connection.close();
    answers.push(connection.send('when closed'));
    expect(answers).toEqual([false, false, false]);
  });
});

describe('another credential', () => {
  it('[U14] [CN1] is used after the previous one was refused', () => {
    const { connection, far, network, states } = connected();
    far.close(CLOSE.unauthorized);
    expect(connection.state.name).toBe('closed');
    connection.renewed();
    network.latest.accept();
    expect(states.slice(-3)).toEqual(['closed', 'dialing', 'open']);
  });

  it('[U14] [CN1] replaces an open socket, whose later events are ignored', () => {
    const { connection, far, network } = connected();
    connection.renewed();
    expect(far.closedByNear?.code).toBe(CLOSE.normal);
    network.latest.accept();
    far.close(CLOSE.unauthorized);
    expect(connection.state.name).toBe('open');
    expect(network.dials).toBe(2);
  });

  it.each([CLOSE.normal, CLOSE.forbidden, CLOSE.protocolError])(
    '[U14] [CN1] changes nothing after %i, which no credential can fix',
    (code) => {
      const { connection, network } = connected();
      connection.close(code);
      connection.renewed();
      expect(connection.state.name).toBe('closed');
      expect(network.dials).toBe(1);
    },
  );
});

/** Rules CN2, CN3 and CN7: when a Connection dials, and when it considers its peer dead. */
import { describe, expect, it } from 'vitest';
import { CLOSE } from '../../protocol/close-codes.ts';
import {
  DIAL_WITHIN_MS,
  HUNG_AFTER_MS,
  PING_EVERY_MS,
  PONG_WITHIN_MS,
  PROBE_WITHIN_MS,
  SETTLED_AFTER_MS,
} from '../../protocol/connection.ts';
import { type Connecting, connected, connecting } from '../support/connecting.ts';

/** Refuses dial after dial; returns how long each wait was. */
function waits({ clock, connection, network }: Connecting, count: number): number[] {
  return Array.from({ length: count }, () => {
    if (connection.state.name === 'dialing') network.latest.refuse();
    if (connection.state.name !== 'waiting') throw new Error(`it is ${connection.state.name}`);
    const wait = connection.state.retryAt - clock.now();
    clock.advance(wait);
    return wait;
  });
}

describe('retries', () => {
  it('[CN2] double the ceiling with every failure, up to 15 s if nobody watches', () => {
    const unwatched = connecting({ watched: () => false });
    expect(waits(unwatched, 6)).toEqual([500, 1_000, 2_000, 4_000, 7_500, 7_500]);
  });

  it('[CN2] stop at 2 s while somebody watches a recent loss, and at 15 s after a minute', () => {
    const watched = connecting();
    expect(waits(watched, 4)).toEqual([500, 1_000, 1_000, 1_000]);
    expect(waits(watched, 57).at(-1)).toBe(1_000);
    expect(watched.clock.now()).toBe(60_500);
    expect(waits(watched, 1)).toEqual([7_500]);
  });

  it('[CN2] check before each wait whether somebody watches', () => {
    let watched = false;
    const away = connecting({ watched: () => watched });
    expect(waits(away, 4)).toEqual([500, 1_000, 2_000, 4_000]);
    watched = true;
    expect(waits(away, 1)).toEqual([1_000]);
  });

  it('[CN2] use `random` to choose a delay between zero and the ceiling', () => {
    expect(waits(connecting({ random: () => 0 }), 3)).toEqual([0, 0, 0]);
    expect(waits(connecting({ random: () => 0.25 }), 3)).toEqual([250, 500, 500]);
  });

  it('[CN2] start from the beginning after a connection that lasted', () => {
    const all = connecting({ watched: () => false });
    waits(all, 4);
    all.network.latest.accept();
    all.clock.advance(SETTLED_AFTER_MS);
    all.network.latest.cut();
    expect(waits(all, 2)).toEqual([500, 1_000]);
  });

  it('[CN2] treat a loss as recent however long the connection lasted before', () => {
    const { far, ...all } = connected();
    for (let held = 0; held < 60_000; held += 1_000) {
      all.clock.advance(1_000);
      far.send('still here');
    }
    far.cut();
    expect(waits(all, 3)).toEqual([500, 1_000, 1_000]);
  });

  it('[CN2] keep doubling if the connection is accepted and then refused', () => {
    const { clock, connection, network } = connecting({ watched: () => false });
    const seen: number[] = [];
    for (let tries = 0; tries < 5; tries++) {
      network.latest.accept();
      network.latest.close(CLOSE.tooMany);
      if (connection.state.name !== 'waiting') throw new Error('it gave up');
      seen.push(connection.state.retryAt - clock.now());
      clock.advance(seen.at(-1) ?? 0);
    }
    expect(seen).toEqual([500, 1_000, 2_000, 4_000, 7_500]);
  });

  it('[CN1] abandon a dial that nobody answers', () => {
    const { clock, connection, network } = connecting();
    clock.advance(DIAL_WITHIN_MS - 1);
    expect(connection.state.name).toBe('dialing');
    clock.advance(1);
    expect(connection.state).toMatchObject({ name: 'waiting', code: CLOSE.abnormal });
    expect(network.latest.closedByNear).toEqual({ code: CLOSE.silent, reason: 'no answer' });
  });
});

describe('heartbeat', () => {
  it('[CN3] keeps a connection whose peer answers, and hides the answers', () => {
    const { clock, connection, far, received } = connected();
    clock.advance(PING_EVERY_MS);
    for (let beat = 0; beat < 10; beat++) {
      expect(far.heard.splice(0), 'one ping a period').toEqual(['ping']);
      clock.advance(100);
      far.send('pong');
      clock.advance(PING_EVERY_MS - 100);
    }
    expect(connection.state.name).toBe('open');
    expect(received).toEqual([]);
  });

  it('[CN3] considers a peer dead that does not answer', () => {
    const { clock, connection, far } = connected();
    far.goSilent();
    clock.advance(PING_EVERY_MS + PONG_WITHIN_MS - 1);
    expect(connection.state.name).toBe('open');
    clock.advance(1);
    expect(connection.state).toMatchObject({ name: 'waiting', code: CLOSE.abnormal });
    expect(far.closedByNear).toEqual({ code: CLOSE.silent, reason: 'no sign of life' });
  });

  it('[CN3] detects a death in the worst case, right after an answer, within 13 s', () => {
    const { clock, connection, far } = connected();
    clock.advance(PING_EVERY_MS);
    far.send('pong');
    far.goSilent();
    clock.advance(13_000 - 1);
    expect(connection.state.name).toBe('open');
    clock.advance(1);
    expect(connection.state.name).toBe('waiting');
  });

  it.each(['pong', 'any text', Uint8Array.of(1)])('[CN3] accepts %o as an answer', (frame) => {
    const { clock, connection, far } = connected();
    clock.advance(PING_EVERY_MS);
    far.send(frame);
    clock.advance(PONG_WITHIN_MS);
    expect(connection.state.name).toBe('open');
  });

  it('[CN3] needs an answer that arrives after the ping', () => {
    const { clock, connection, far } = connected();
    clock.advance(PING_EVERY_MS - 1);
    far.send('the last words');
    clock.advance(1 + PONG_WITHIN_MS);
    expect(connection.state.name).toBe('waiting');
  });

  it('[CN3] sends nothing on a socket that is closed', () => {
    const { clock, far, network } = connected();
    far.cut();
    clock.advance(1_000);
    network.latest.refuse(CLOSE.forbidden);
    expect(clock.pending).toBe(0);
    expect(far.heard).toEqual([]);
  });
});

describe('user-triggered retries', () => {
  it('[CN7] retryNow dials at once, and no second dial follows', () => {
    const { clock, connection, far, network } = connected();
    far.cut();
    connection.retryNow();
    expect(connection.state.name).toBe('dialing');
    clock.advance(DIAL_WITHIN_MS - 1);
    expect(network.dials).toBe(2);
  });

  it('[CN7] retryNow does not affect a dial or an open socket', () => {
    const { connection, network, states } = connecting();
    connection.retryNow();
    network.latest.accept();
    connection.retryNow();
    expect(states).toEqual(['dialing', 'open']);
    expect(network.dials).toBe(1);
  });

  it('[CN7] retryNow abandons a hung attempt and closes its socket', () => {
    const { clock, connection, network } = connecting();
    const hung = network.latest;
    clock.advance(HUNG_AFTER_MS);
    connection.retryNow();
    expect(network.dials).toBe(2);
    expect(hung.closedByNear).toBeDefined();
    hung.accept();
    expect(connection.state.name).toBe('dialing');
    network.latest.accept();
    expect(connection.state.name).toBe('open');
  });

  it('[CN7] probe pings at once and waits only briefly for the answer', () => {
    const { clock, connection, far } = connected();
    far.goSilent();
    connection.probe();
    clock.advance(PROBE_WITHIN_MS - 1);
    expect(connection.state.name).toBe('open');
    clock.advance(1);
    expect(connection.state.name).toBe('waiting');
  });

  it('[CN7] probe returns to the heartbeat once answered', () => {
    const { clock, connection, far } = connected();
    connection.probe();
    far.send('pong');
    clock.advance(PROBE_WITHIN_MS + PING_EVERY_MS);
    expect(far.heard).toEqual(['ping', 'ping']);
    expect(connection.state.name).toBe('open');
  });

  it('[CN7] probe shortens the wait for a heartbeat already sent', () => {
    const { clock, connection, far } = connected();
    far.goSilent();
    clock.advance(PING_EVERY_MS + 1);
    connection.probe();
    clock.advance(PROBE_WITHIN_MS);
    expect(connection.state.name).toBe('waiting');
  });

  it('[CN7] repeated probes do not delay the detection of a dead peer', () => {
    const { clock, connection, far } = connected();
    far.goSilent();
    for (let elapsed = 0; elapsed < PROBE_WITHIN_MS; elapsed += 500) {
      connection.probe();
      clock.advance(500);
    }
    expect(connection.state.name).toBe('waiting');
  });

  it('[CN7] probe does nothing without an open socket', () => {
    const { clock, connection, network } = connecting();
    connection.probe();
    network.latest.refuse();
    connection.probe();
    expect(clock.pending).toBe(1);
  });

  it('[CN7] redial does not affect a dial', () => {
    const { connection, network, states } = connecting();
    connection.redial('again');
    expect(states).toEqual(['dialing']);
    expect(network.latest.closedByNear).toBeUndefined();
  });

  it('[CN7] redial closes an open socket and dials again', () => {
    const { clock, connection, far, network } = connected();
    connection.redial('the agent is a new one');
    expect(far.closedByNear?.reason).toBe('the agent is a new one');
    clock.advance(500);
    expect(connection.state.name).toBe('dialing');
    expect(network.dials).toBe(2);
  });
});

/** Rule CN8: a socket that only the platform answers is detected, and an idle one costs a single question. */
import { describe, expect, it } from 'vitest';
import { PING_EVERY_MS } from '../../protocol/connection.ts';
import { PROVE_AFTER_MS } from '../../protocol/link-proof.ts';
import { connected } from '../support/connecting.ts';

const HOUR_MS = 3_600_000;

/** Connected, with a far end whose platform answers heartbeats; `answering` says whether its object answers too. */
function proving(answering: () => boolean) {
  const all = connected({ question: () => 'question' });
  let asked = 0;
  const passes = (ms: number) => {
    for (let left = ms; left > 0 && all.connection.state.name === 'open'; left -= 1_000) {
      all.clock.advance(1_000);
      for (const frame of all.far.heard.splice(0)) {
        if (frame === 'ping') all.far.send('pong');
        if (frame !== 'question') continue;
        asked++;
        if (answering()) all.far.send('answer');
      }
    }
  };
  return { ...all, passes, asked: () => asked };
}

describe('the proof of a link', () => {
  it('[CN8] [RL9] is requested once after the last traffic, and not again while idle', () => {
    const { asked, connection, passes } = proving(() => true);
    passes(PROVE_AFTER_MS - 1_000);
    expect(asked()).toBe(0);
    passes(PING_EVERY_MS);
    expect(asked()).toBe(1);
    passes(HOUR_MS);
    expect(asked()).toBe(1);
    expect(connection.state.name).toBe('open');
  });

  it.each(['sent', 'received'])('[CN8] is requested again once something was %s', (traffic) => {
    const { asked, connection, far, passes } = proving(() => true);
    passes(2 * PROVE_AFTER_MS);
    expect(asked()).toBe(1);
    if (traffic === 'sent') connection.send('frame');
    else far.send('frame');
    passes(PROVE_AFTER_MS - 1_000);
    expect(asked()).toBe(1);
    passes(PING_EVERY_MS);
    expect(asked()).toBe(2);
  });

  it('[CN8] is postponed while there is traffic, which proves as much', () => {
    const { asked, far, passes } = proving(() => true);
    for (let minute = 0; minute < 60; minute++) {
      passes(PROVE_AFTER_MS / 2);
      far.send('output');
    }
    expect(asked()).toBe(0);
  });

  it('[CN8] is not postponed by sent data that is never answered', () => {
    const { connection, far, passes } = proving(() => false);
    for (let key = 0; key < 60 && connection.state.name === 'open'; key++) {
      connection.send('key');
      passes(PROVE_AFTER_MS / 20);
    }
    expect(far.closedByNear?.reason).toBe('pongs, but no answer');
  });

  it('[F7] [CN8] fails for an object that was reset: pongs alone do not keep the socket', () => {
    const { clock, connection, far, network, passes } = proving(() => false);
    passes(PROVE_AFTER_MS + 2 * PING_EVERY_MS);
    expect(connection.state.name).toBe('waiting');
    expect(far.closedByNear?.reason).toBe('pongs, but no answer');
    clock.advance(1_000);
    expect(network.dials).toBe(2);
  });

  it('[CN8] is requested on the next socket as on the first', () => {
    let answering = false;
    const { asked, clock, connection, network, passes } = proving(() => answering);
    passes(PROVE_AFTER_MS + 2 * PING_EVERY_MS);
    answering = true;
    clock.advance(1_000);
    network.latest.accept();
    expect(connection.state.name).toBe('open');
    expect(asked()).toBe(1);
    clock.advance(PING_EVERY_MS);
    expect(network.latest.heard, 'what the old socket owed is not asked of the new one').toEqual(['ping']);
  });

  it('[CN8] is not requested if no question is configured', () => {
    const { clock, connection, far } = connected();
    for (let elapsed = 0; elapsed < HOUR_MS; elapsed += 1_000) {
      clock.advance(1_000);
      for (const frame of far.heard.splice(0)) {
        expect(frame).toBe('ping');
        far.send('pong');
      }
    }
    expect(connection.state.name).toBe('open');
  });
});

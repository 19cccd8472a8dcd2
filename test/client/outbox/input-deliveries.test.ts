/** What whoever composed a text learns of it. */
import { describe, expect, it } from 'vitest';
import { SessionExchange } from '../../../client/session-exchange.ts';
import { COMPOSED_PASTE_MAX_BYTES, OFFLINE_INPUT_MAX_MS } from '../../../protocol/limits.ts';
import { bytes, typist } from '../typist.ts';

function composer(options?: Parameters<typeof typist>[0]) {
  const typing = typist(options);
  const outcomes: string[] = [];
  const compose = (text: string) =>
    typing.input.type(bytes(text), (delivery) => outcomes.push(`${text.slice(0, 9)}: ${delivery}`));
  return { ...typing, compose, outcomes };
}

describe('a composed text', () => {
  it('[IN7] [J5] is reported once, when the program has taken all of it', () => {
    const { compose, input, outcomes } = composer();
    input.type(bytes('ls'));
    compose('text');
    compose('more');
    input.acknowledged(5);
    expect(outcomes).toEqual([]);
    input.acknowledged(6);
    expect(outcomes).toEqual(['text: taken']);
    input.acknowledged(10);
    input.ended();
    expect(outcomes).toEqual(['text: taken', 'more: taken']);
  });

  it('[IN7] [J5] survives a cut: the rest is sent again, and it is taken once', () => {
    const { attach, compose, cutOff, outcomes, sent } = composer();
    compose('abcdef');
    cutOff();
    sent.length = 0;
    attach(4);
    expect([sent, outcomes]).toEqual([['4:ef'], []]);
    cutOff();
    attach(6);
    expect(outcomes).toEqual(['abcdef: taken']);
  });

  it('[IN7] [J5] that waits for a connection for too long is dropped, not what was sent before', () => {
    const { attach, clock, compose, cutOff, outcomes, sent } = composer();
    compose('sent');
    cutOff();
    compose('waits');
    clock.advance(OFFLINE_INPUT_MAX_MS);
    expect(outcomes).toEqual(['waits: dropped']);
    sent.length = 0;
    attach(0);
    expect(sent).toEqual(['0:sent']);
  });

  it('[IN4] [IN7] may have been taken if it was sent to an agent that is replaced', () => {
    const { attach, compose, cutOff, input, outcomes } = composer();
    compose('half');
    input.acknowledged(2);
    compose('sent');
    cutOff();
    compose('waits');
    attach(0, true);
    expect(outcomes).toEqual(['half: unsure', 'sent: unsure', 'waits: dropped']);
  });

  it('[IN7] is kept up to 64 KiB while disconnected, and refused as a whole beyond, without a trace', () => {
    const { attach, compose, cutOff, input, outcomes, sent } = composer();
    cutOff();
    expect(compose('x'.repeat(COMPOSED_PASTE_MAX_BYTES + 1))).toBe(false);
    expect([input.pendingBytes, input.discardedBytes, input.takeUndelivered().length]).toEqual([0, 0, 0]);
    expect(compose('x'.repeat(COMPOSED_PASTE_MAX_BYTES))).toBe(true);
    expect(compose('y')).toBe(false);
    attach(0);
    expect(sent.join('').replace(/[^x]/g, '')).toHaveLength(COMPOSED_PASTE_MAX_BYTES);
    expect(outcomes).toEqual([]);
  });

  it('[IN7] is told of again where the one who composed it types at once', () => {
    const { input } = typist();
    const told: string[] = [];
    input.type(bytes('one'), () => input.type(bytes('two'), (delivery) => told.push(delivery)));
    input.acknowledged(3);
    input.acknowledged(6);
    expect(told).toEqual(['taken']);
  });
});

describe('a composed text in a session that ends', () => {
  it('[IN7] [J5] is not waited for', () => {
    const { exchange, outcomes } = sessionWith('text');
    exchange.receive({ type: 'session_closed', session: 's', reason: 'closed' });
    expect(outcomes).toEqual(['dropped']);
  });
});

function sessionWith(text: string) {
  const outcomes: string[] = [];
  const clock = { now: () => 0, after: () => () => {} };
  const link = {
    inflate: async (all: Uint8Array<ArrayBuffer>) => all,
    holds: () => {},
    instance: 'i',
    asksPeople: false,
    clock,
    theme: () => undefined,
    sendMessage: () => {},
    sendFrame: () => {},
    newRequest: () => 'r',
    stateChanged: () => {},
    broken: () => {},
    agentAnswered: () => {},
    agentLate: () => {},
  };
  const screen = { write: () => {}, reset: () => {}, resize: () => {} };
  const exchange = new SessionExchange('s', null, screen, link, {});
  exchange.session.type(bytes(text), (delivery) => outcomes.push(delivery));
  return { exchange, outcomes };
}

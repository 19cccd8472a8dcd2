/** Input that is typed once, against a scripted relay. */
import { describe, expect, it } from 'vitest';
import { decodeFrame, encodeFrame } from '../../protocol/frame.ts';
import { PAYLOAD_MAX_BYTES } from '../../protocol/limits.ts';
import type { SessionInfo } from '../../protocol/messages/session-info.ts';
import { sessionInfo } from '../support/scripted-session.ts';
import {
  agentIs,
  asked,
  client,
  clock,
  connects,
  HANDLE,
  network,
  says,
  settled,
  startsClients,
  WITHIN,
} from './requests-story.ts';

startsClients();

const inputs = () =>
  network.latest.heard
    .flatMap((frame) => (typeof frame === 'string' ? [] : [decodeFrame(frame)]))
    .filter(({ kind }) => kind === 'input')
    .map(({ offset, payload }) => [offset, new TextDecoder().decode(payload)]);

describe('input that is typed once', () => {
  const type = (text: string, once = 'digest') =>
    client.requests.typeOnce('s1', new TextEncoder().encode(text), { once, ...WITHIN });
  const met = (inputOffset: number, info: Partial<SessionInfo> = {}) =>
    says({
      type: 'session_reattached',
      request: asked('reattach_session').request,
      session: sessionInfo('s1', info),
      handle: HANDLE,
      inputOffset,
    });
  const acknowledges = (offset: number) =>
    network.latest.send(encodeFrame({ kind: 'ack', channel: 1, handle: HANDLE, offset }));

  it('[IN8] is the whole stream of the instance: only what is missing is sent', async () => {
    connects();
    const typed = type('abc');
    expect(asked('reattach_session')).toMatchObject({ instance: 'key', once: 'digest', hidden: true });
    expect(asked('reattach_session')).toMatchObject({ isScript: true });
    met(1);
    expect(inputs()).toEqual([[1, 'bc']]);
    acknowledges(3);
    expect(await settled(typed)).toBe('done');
    const again = type('abc');
    met(3);
    expect([await settled(again), inputs()]).toEqual(['done', [[1, 'bc']]]);
  });

  it('[IN8] goes on after reconnects of either link', async () => {
    connects();
    const typed = type('abc');
    met(0);
    network.latest.cut();
    clock.advance(1_000);
    connects(1);
    met(1);
    expect(inputs()).toEqual([[1, 'bc']]);
    agentIs('offline', 1);
    agentIs('online', 2);
    met(2);
    expect(inputs().at(-1)).toEqual([2, 'c']);
    acknowledges(3);
    expect(await settled(typed)).toBe('done');
  });

  it('[IN4] [IN8] is not sent to another epoch: the outcome is unknown', async () => {
    connects();
    const typed = type('abc');
    met(0);
    agentIs('online', 2);
    met(0, { epoch: 'epoch-2' });
    expect([await settled(typed), inputs()]).toEqual(['no answer', [[0, 'abc']]]);
  });

  it('[IN8] is refused while the machine is away, unless some of it may have arrived', async () => {
    connects(1, 'offline');
    expect(await settled(type('abc'))).toBe('agent_offline');
    agentIs('online', 2);
    const typed = type('abc');
    met(0);
    agentIs('offline', 2);
    clock.advance(WITHIN.withinMs);
    expect(await settled(typed)).toBe('no answer');
  });

  it('[IN8] is refused as a whole, or its outcome is unknown', async () => {
    connects();
    const refused = (text: string, code: 'input_backlog' | 'keyboard_busy' = 'input_backlog') => {
      const typed = type(text);
      met(0);
      says({ type: 'error', code, message: 'Full.', session: 's1' });
      return settled(typed);
    };
    expect(await refused('abc')).toBe('input_backlog');
    expect(await refused('abc', 'keyboard_busy')).toBe('keyboard_busy');
    expect(await refused('x'.repeat(PAYLOAD_MAX_BYTES + 1))).toBe('no answer');
    const conflict = type('abc');
    const { request } = asked('reattach_session');
    says({ type: 'error', code: 'input_conflict', message: 'Other.', session: 's1', request });
    expect(await settled(conflict)).toBe('input_conflict');
    const ended = type('abc');
    met(0, { status: 'exited' });
    expect(await settled(ended)).toBe('session_exited');
  });

  it('has no answer when the client leaves, or when it takes too long', async () => {
    connects();
    const late = type('abc');
    met(0);
    network.passes(clock, WITHIN.withinMs);
    expect(await settled(late)).toBe('no answer');
    const left = type('abc');
    client.leave();
    expect([await settled(left), await settled(type('abc'))]).toEqual(['no answer', 'no answer']);
  });
});

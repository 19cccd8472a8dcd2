/** The client library against a scripted relay on an in-memory socket: input. */
import { describe, expect, it } from 'vitest';
import { SendPace } from '../../client/send-pace.ts';
import { INPUT_RETRY_MS, OFFLINE_INPUT_MAX_MS, SLOW_DOWN_MAX_MS } from '../../protocol/limits.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { typeInto } from '../support/type-into.ts';
import { SIZE, Story } from './client-story.ts';

describe('the client', () => {
  it('[IN4] types nothing old into another life of the agent', () => {
    const story = new Story();
    story.connects();
    const session = story.client.attach('s1', SIZE, story.screen, { isNew: true });
    story.reattaches(0, 0);
    story.agentIs('offline');
    typeInto(session, 'rm -rf build\n');
    expect(session.unsentBytes).toBe(13);
    story.agentIs('online', 2);
    story.reattaches(0, 0, { epoch: 'epoch-2' });
    expect(story.frames('input')).toEqual([]);
    expect(session.unsentBytes).toBe(0);
  });

  it('[IN7] keeps input while disconnected for half a minute and a few lines, then discards it and reports that', () => {
    const story = new Story();
    story.connects();
    const session = story.client.attach('s1', SIZE, story.screen, { isNew: true });
    story.reattaches(0, 0);
    typeInto(session, 'sent');
    story.agentIs('offline');
    typeInto(session, 'stale');
    expect(session.type(new Uint8Array(5000))).toBe(false);
    expect(session.unsentBytes).toBe(9);
    story.waits(OFFLINE_INPUT_MAX_MS - 1);
    expect(session.unsentBytes).toBe(9);
    story.clock.advance(1);
    expect(session.unsentBytes).toBe(4);
    expect(session.discardedBytes).toBe(5005);
    story.agentIs('online', 2);
    story.reattaches(0, 0);
    expect(story.frames('input')).toEqual([
      [0, 'sent'],
      [0, 'sent'],
    ]);
  });

  it('[IN7] delivers input typed during a short cut, and discards nothing later', () => {
    const story = new Story();
    story.connects();
    const session = story.client.attach('s1', SIZE, story.screen, { isNew: true });
    story.reattaches(0, 0);
    story.agentIs('offline');
    typeInto(session, 'soon');
    story.clock.advance(5000);
    story.agentIs('online', 2);
    story.reattaches(0, 0);
    story.waits(OFFLINE_INPUT_MAX_MS);
    expect(story.frames('input')).toEqual([[0, 'soon']]);
    expect(session.discardedBytes).toBe(0);
  });

  it.each(['input_backlog', 'input_hole'] as const)(
    '[IN6] sends input refused with %s again from the offset that the agent has',
    (code) => {
      const story = new Story();
      story.connects();
      const session = story.client.attach('s1', SIZE, story.screen, { isNew: true });
      story.reattaches(0, 0);
      typeInto(session, 'abcdef');
      story.says({ type: 'error', code, message: 'later', session: 's1' });
      story.says({ type: 'error', code, message: 'later', session: 's1' });
      story.clock.advance(INPUT_RETRY_MS);
      expect(story.asked('reattach_session')).toHaveLength(2);
      story.reattaches(0, 0, { inputOffset: 2 });
      expect(story.frames('input')).toEqual([
        [0, 'abcdef'],
        [2, 'cdef'],
      ]);
    },
  );

  it('[IN1] keeps input that is typed before the session is attached, and sends it then', () => {
    const story = new Story();
    const session = story.client.attach('s1', SIZE, story.screen);
    typeInto(session, 'ls\n');
    story.connects();
    story.reattaches(0, 0);
    expect(story.frames('input')).toEqual([[0, 'ls\n']]);
  });

  it('[IN1] attached again by the same page, continues counting where the instance was', () => {
    const story = new Story();
    story.connects();
    typeInto(story.client.attach('s1', SIZE, story.screen), 'early');
    story.reattaches(0, 0);
    story.client.detach('s1');
    const again = story.client.attach('s1', SIZE, story.screen);
    typeInto(again, 'a');
    story.reattaches(0, 0, { inputOffset: 5 });
    typeInto(again, 'b');
    expect(story.frames('input')).toEqual([
      [0, 'early'],
      [5, 'a'],
      [6, 'b'],
    ]);
  });

  it('[RL12] holds keys back while the relay asks for it, in order, and sends them at its pace', () => {
    const story = new Story();
    story.connects();
    const session = story.client.attach('s1', SIZE, story.screen);
    story.reattaches(0, 0);
    const type = (text: string) => session.type(new TextEncoder().encode(text));
    type('a');
    story.says({ type: 'error', code: 'slow_down', message: 'Too fast.', retryAfterMs: 250 });
    for (let i = 0; i < 600; i++) type('b');
    story.clock.advance(249);
    expect(story.frames('input')).toEqual([[0, 'a']]);
    story.clock.advance(1);
    expect(story.frames('input')).toHaveLength(501);
    story.clock.advance(500);
    expect(story.frames('input').map(([offset]) => offset)).toEqual(Array.from({ length: 601 }, (_, i) => i));
  });

  it('[RL12] holds keys back for a minute at most, however long the relay asks for', () => {
    const clock = new FakeClock();
    const sent: number[] = [];
    const pace = new SendPace(clock, ([byte = 0]) => void sent.push(byte));
    pace.slowDown(Number.MAX_SAFE_INTEGER);
    pace.send(Uint8Array.of(7));
    clock.advance(SLOW_DOWN_MAX_MS - 1);
    expect(sent).toEqual([]);
    clock.advance(1);
    expect(sent).toEqual([7]);
  });

  it('[RL12] forgets what was held back when the connection ends: it is sent again by offset', () => {
    const story = new Story();
    story.connects();
    const session = story.client.attach('s1', SIZE, story.screen);
    story.reattaches(0, 0);
    story.says({ type: 'error', code: 'slow_down', message: 'Too fast.', retryAfterMs: 60_000 });
    session.type(new TextEncoder().encode('ls'));
    story.network.latest.cut();
    story.clock.advance(2_000);
    story.connects();
    story.reattaches(0, 0);
    expect(story.frames('input')).toEqual([[0, 'ls']]);
  });
});

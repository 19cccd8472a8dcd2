/** One request of an assistant that waits. */
import { describe, expect, it } from 'vitest';
import { AssistCall } from '../../../vm-agent/run/assist-call.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const WAIT_MS = 1000;

function opened(waitMs = WAIT_MS) {
  const clock = new FakeClock();
  const assistant = { id: 'one', name: 'Codex' };
  return { clock, call: new AssistCall({ assistant, connection: 'c', waitMs }, clock) };
}

describe('a call', () => {
  it('waits until something holds, and leaves no timer behind', async () => {
    const { clock, call } = opened();
    let holds = false;
    const waited = call.until(() => holds);
    call.changed();
    expect(clock.pending).toBe(1);
    holds = true;
    call.changed();
    expect(await waited).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it.each([
    ['for as long as it is told', 10, 10],
    ['no longer than its own time', 5000, WAIT_MS],
  ])('waits %s', async (_, withinMs, ends) => {
    const { clock, call } = opened();
    let isOver = false;
    const waited = call
      .until(() => false, withinMs)
      .then((held) => {
        isOver = true;
        return held;
      });
    clock.advance(ends - 1);
    await Promise.resolve();
    expect(isOver).toBe(false);
    clock.advance(1);
    expect(await waited).toBe(false);
    expect(call.isOver).toBe(ends === WAIT_MS);
  });

  it('does not wait for what holds, nor without time', async () => {
    const { clock, call } = opened(0);
    expect(await call.until(() => true)).toBe(true);
    expect(await call.until(() => false)).toBe(false);
    expect(clock.pending).toBe(0);
  });

  it('ends when nobody waits for its answer', async () => {
    const { clock, call } = opened();
    const waited = call.until(() => false);
    call.abandon();
    expect([await waited, call.isOver, clock.pending]).toEqual([false, true, 0]);
  });

  it('looks again when it gets the keyboard, and when a person takes it', async () => {
    const { call } = opened();
    const granted = call.until(() => call.isGranted);
    call.granted();
    expect(await granted).toBe(true);
    const taken = call.until(() => call.takenBy !== null);
    call.takenOver('Ann');
    expect([await taken, call.takenBy]).toEqual([true, 'Ann']);
  });
});

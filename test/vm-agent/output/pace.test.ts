/** Whether a program must wait, and how much goes into a frame, for every company of viewers. */
import { describe, expect, it } from 'vitest';
import { PAYLOAD_MAX_BYTES } from '../../../protocol/limits.ts';
import {
  ClientWindow,
  WINDOW_FIRST_BYTES,
  WINDOW_MIN_BYTES,
} from '../../../vm-agent/output/client-window.ts';
import { frameMaxBytes, paceOf } from '../../../vm-agent/output/pace.ts';
import { Seat, STALLED_AFTER_MS } from '../../../vm-agent/output/seat.ts';
import type { Viewer } from '../../../vm-agent/output/viewer.ts';
import { wideWindow } from '../../support/wide-window.ts';

/** Shrunk to the least by answers that came late. */
function narrow(): ClientWindow {
  const window = new ClientWindow();
  window.sent(20, 0);
  window.acknowledged(20, 1, 1);
  for (let now = 1_000; window.limitBytes > WINDOW_MIN_BYTES; now += 1_000) {
    window.sent(1_000, now);
    window.acknowledged(1_000, 900, now + 900);
  }
  return window;
}

function viewer(role: Viewer['role'], window = new ClientWindow(), sent = 0): Seat {
  const seat = new Seat({ channel: 1, role, instance: 'i', history: 'all' }, window);
  seat.state = 'following';
  seat.send(sent, 0, true);
  return seat;
}

const FULL = 2 * WINDOW_FIRST_BYTES;

describe('a program', () => {
  it.each([
    { who: 'nobody', seats: [], isBlocked: false },
    { who: 'an operator with room', seats: [viewer('operator')], isBlocked: false },
    { who: 'an operator without', seats: [viewer('operator', undefined, FULL)], isBlocked: true },
    { who: 'a viewer without room', seats: [viewer('viewer', undefined, FULL)], isBlocked: false },
    {
      who: 'an operator with room and one without',
      seats: [viewer('operator', undefined, FULL), viewer('operator')],
      isBlocked: false,
    },
    {
      who: 'two operators without room',
      seats: [viewer('operator', undefined, FULL), viewer('operator', undefined, FULL)],
      isBlocked: true,
    },
    {
      who: 'an operator without room and a viewer with some',
      seats: [viewer('operator', undefined, FULL), viewer('viewer')],
      isBlocked: true,
    },
  ])('[F21] [OU5] watched by $who waits: $isBlocked', ({ seats, isBlocked }) => {
    expect(paceOf(seats, 1).isBlocked).toBe(isBlocked);
    // Two seconds later whoever has not answered has stalled.
    expect(paceOf(seats, STALLED_AFTER_MS).isBlocked).toBe(false);
  });

  it('[OU5] is paced by the widest window of those who may', () => {
    const [slow, fast, watcher] = [
      viewer('operator'),
      viewer('operator', wideWindow()),
      viewer('viewer', wideWindow()),
    ];
    expect(paceOf([slow, fast, watcher], 0)).toEqual({
      pacers: [slow, fast],
      fastest: fast,
      isBlocked: false,
    });
    expect(paceOf([fast, slow], 0).fastest).toBe(fast);
    expect(paceOf([watcher], 0).fastest).toBe(undefined);
  });
});

describe('a frame', () => {
  const sizeFor = (...seats: Seat[]) => frameMaxBytes(seats, paceOf(seats, 0));

  it('[OU9] is at most a quarter of the window of the fastest, of whom may type if anybody may', () => {
    expect(sizeFor(viewer('operator'))).toBe(WINDOW_FIRST_BYTES / 4);
    expect(sizeFor(viewer('operator'), viewer('viewer', wideWindow()))).toBe(WINDOW_FIRST_BYTES / 4);
    expect(sizeFor(viewer('viewer'))).toBe(WINDOW_FIRST_BYTES / 4);
  });

  it('is never more than a payload may be, and never tiny', () => {
    expect(sizeFor()).toBe(PAYLOAD_MAX_BYTES);
    expect(sizeFor(viewer('operator', wideWindow()))).toBe(PAYLOAD_MAX_BYTES);
    expect(sizeFor(viewer('operator', narrow()))).toBe(WINDOW_MIN_BYTES / 4);
  });
});

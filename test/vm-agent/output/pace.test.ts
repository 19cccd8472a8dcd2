/** Whether a program must wait, and the size of a frame, for every combination of clients. */
import { describe, expect, it } from 'vitest';
import { PAYLOAD_MAX_BYTES } from '../../../protocol/limits.ts';
import type { Attachment } from '../../../vm-agent/output/attachment.ts';
import {
  CreditWindow,
  WINDOW_FIRST_BYTES,
  WINDOW_MIN_BYTES,
} from '../../../vm-agent/output/credit-window.ts';
import { DeliveryState, STALLED_AFTER_MS } from '../../../vm-agent/output/delivery-state.ts';
import { frameMaxBytes, paceOf } from '../../../vm-agent/output/pace.ts';
import { wideWindow } from '../../support/wide-window.ts';

/** Shrunk to the least by answers that came late. */
function narrow(): CreditWindow {
  const window = new CreditWindow();
  window.sent(20, 0);
  window.acknowledged(20, 1, 1);
  for (let now = 1_000; window.limitBytes > WINDOW_MIN_BYTES; now += 1_000) {
    window.sent(1_000, now);
    window.acknowledged(1_000, 900, now + 900);
  }
  return window;
}

function viewer(role: Attachment['role'], window = new CreditWindow(), sent = 0): DeliveryState {
  const delivery = new DeliveryState({ channel: 1, role, instance: 'i', history: 'all' }, window);
  delivery.state = 'following';
  delivery.send(sent, 0, true);
  return delivery;
}

const FULL = 2 * WINDOW_FIRST_BYTES;

describe('a program', () => {
  it.each([
    { who: 'nobody', deliveries: [], isBlocked: false },
    { who: 'an operator with credit', deliveries: [viewer('operator')], isBlocked: false },
    { who: 'an operator without credit', deliveries: [viewer('operator', undefined, FULL)], isBlocked: true },
    { who: 'a viewer without credit', deliveries: [viewer('viewer', undefined, FULL)], isBlocked: false },
    {
      who: 'an operator with credit and one without',
      deliveries: [viewer('operator', undefined, FULL), viewer('operator')],
      isBlocked: false,
    },
    {
      who: 'two operators without credit',
      deliveries: [viewer('operator', undefined, FULL), viewer('operator', undefined, FULL)],
      isBlocked: true,
    },
    {
      who: 'an operator without credit and a viewer with some',
      deliveries: [viewer('operator', undefined, FULL), viewer('viewer')],
      isBlocked: true,
    },
  ])('[F21] [OU5] with $who attached waits: $isBlocked', ({ deliveries, isBlocked }) => {
    expect(paceOf(deliveries, 1).isBlocked).toBe(isBlocked);
    // Two seconds later, a client that has not answered has stalled.
    expect(paceOf(deliveries, STALLED_AFTER_MS).isBlocked).toBe(false);
  });

  it('[OU5] is paced by the widest window of those that may pace it', () => {
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
  const sizeFor = (...deliveries: DeliveryState[]) => frameMaxBytes(deliveries, paceOf(deliveries, 0));

  it('[OU9] is at most a quarter of the window of the fastest client, preferring clients that may type', () => {
    expect(sizeFor(viewer('operator'))).toBe(WINDOW_FIRST_BYTES / 4);
    expect(sizeFor(viewer('operator'), viewer('viewer', wideWindow()))).toBe(WINDOW_FIRST_BYTES / 4);
    expect(sizeFor(viewer('viewer'))).toBe(WINDOW_FIRST_BYTES / 4);
  });

  it('is never larger than a payload may be, and never tiny', () => {
    expect(sizeFor()).toBe(PAYLOAD_MAX_BYTES);
    expect(sizeFor(viewer('operator', wideWindow()))).toBe(PAYLOAD_MAX_BYTES);
    expect(sizeFor(viewer('operator', narrow()))).toBe(WINDOW_MIN_BYTES / 4);
  });
});

import { describe, expect, it } from 'vitest';
import { DEBT_AFTER_MS, DebtWatch } from '../../../vm-agent/link/debt-watch.ts';
import { Audience } from '../../../vm-agent/output/audience.ts';
import { CreditWindow } from '../../../vm-agent/output/credit-window.ts';
import { FakeClock } from '../../support/fake-clock.ts';

function watching() {
  const clock = new FakeClock();
  const window = new CreditWindow();
  const audience = new Audience(
    clock,
    () => window,
    { output: () => {}, lagging: () => {}, relieved: () => {}, unseen: () => {} },
    () => {},
  );
  const asked: string[] = [];
  let sent = 0;
  const watch = new DebtWatch({
    clock,
    owed: () => audience.isOwed,
    ask: (question) => asked.push(question),
  });
  const send = (bytes: number) => {
    audience.deliver(sent, new Uint8Array(bytes));
    sent += bytes;
    watch.sent();
  };
  const attach = (at: number) => {
    audience.join({ channel: 1, role: 'operator', instance: 'i', history: 'all' });
    audience.follow(1, at, at);
  };
  return { clock, attach, acknowledge: (offset: number) => audience.acknowledge(1, offset), asked, send };
}

describe('the debt watch', () => {
  it('[RL9] asks once if sent output is not acknowledged in time', () => {
    const { clock, attach, asked, send } = watching();
    attach(0);
    send(10);
    clock.advance(DEBT_AFTER_MS - 1);
    expect(asked).toEqual([]);
    clock.advance(60_000);
    expect(asked).toEqual(['debt-1']);
    expect(clock.pending).toBe(0);
  });

  it('[RL9] asks nothing if everything is acknowledged, or nobody is attached', () => {
    const { clock, attach, acknowledge, asked, send } = watching();
    send(5);
    attach(5);
    send(10);
    acknowledge(15);
    clock.advance(60_000);
    expect(asked).toEqual([]);
  });

  it('[RL9] asks again for later output that is not acknowledged', () => {
    const { clock, attach, asked, send } = watching();
    attach(0);
    send(10);
    clock.advance(DEBT_AFTER_MS);
    send(10);
    clock.advance(DEBT_AFTER_MS);
    expect(asked).toEqual(['debt-1', 'debt-2']);
  });
});

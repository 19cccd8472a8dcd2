import { describe, expect, it } from 'vitest';
import { DEBT_AFTER_MS, DebtWatch } from '../../vm-agent/debt-watch.ts';
import { Flow } from '../../vm-agent/flow.ts';
import { FakeClock } from '../support/fake-clock.ts';

function watching() {
  const clock = new FakeClock();
  const flow = new Flow(1000);
  const asked: string[] = [];
  let sent = 0;
  const watch = new DebtWatch({
    clock,
    owed: () => flow.isOwed(sent),
    ask: (question) => asked.push(question),
  });
  const send = (bytes: number) => {
    sent += bytes;
    watch.sent();
  };
  return { clock, flow, asked, send };
}

describe('the debt watch', () => {
  it('[RL9] asks once when what was sent is not acknowledged in time', () => {
    const { clock, flow, asked, send } = watching();
    flow.attach(1, 0);
    send(10);
    clock.advance(DEBT_AFTER_MS - 1);
    expect(asked).toEqual([]);
    clock.advance(60_000);
    expect(asked).toEqual(['debt-1']);
    expect(clock.pending).toBe(0);
  });

  it('[RL9] asks nothing when everybody has acknowledged, or nobody watches', () => {
    const { clock, flow, asked, send } = watching();
    send(5);
    flow.attach(1, 5);
    send(10);
    flow.acknowledge(1, 15, 15);
    clock.advance(60_000);
    expect(asked).toEqual([]);
  });

  it('[RL9] asks again for what is sent later, while it is still owed', () => {
    const { clock, flow, asked, send } = watching();
    flow.attach(1, 0);
    send(10);
    clock.advance(DEBT_AFTER_MS);
    send(10);
    clock.advance(DEBT_AFTER_MS);
    expect(asked).toEqual(['debt-1', 'debt-2']);
  });
});

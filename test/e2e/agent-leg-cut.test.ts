/**
 * The agent's connection is cut right after a burst, and nothing is printed afterwards: no later byte reveals that
 * something is missing. Every client must still show the tail, and the last key must arrive.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CuttingProxy } from '../support/cutting-proxy.ts';
import { RecordingProgram } from '../support/recording-program.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { TestRelay } from '../support/test-relay.ts';
import { typeInto } from '../support/type-into.ts';
import { World } from '../support/world.ts';

/** From while it is still being printed until everybody has it, with some moments more often than others. */
const MOMENTS_MS = [0, 0, 0.2, 0.5, 1, 1, 1, 1.5, 2, 2, 3, 3, 4, 5, 6, 8, 10, 15, 25, 40];
const CLIENTS = 3;

function burst(round: number): string {
  const lines = Array.from({ length: 200 }, (_, n) => `round ${round} line ${n}`);
  return `${lines.join('\r\n')}\r\ntail-${round}`;
}

describe('a lost agent connection after a burst of output', () => {
  it(`[RL4] [OU2] [IN4] every client shows the tail and the last key arrives, at ${MOMENTS_MS.length} moments`, async () => {
    const relay = await TestRelay.onWorkerd();
    await using agentLeg = await CuttingProxy.to(relay.url);
    await using world = await World.open({ legs: { agent: agentLeg.url, client: relay.url } }, relay);
    const clients = await Promise.all(Array.from({ length: CLIENTS }, () => world.client()));
    const [first] = clients;
    if (first === undefined) throw new Error('invariant: there are clients');
    using program = await RecordingProgram.start(first);
    const seats = clients.map((client) => client.attach(program.id, { isNew: true }));
    const page = await world.page();
    await program.prints('ready');
    await Promise.all(seats.map(({ screen }) => screen.sees(/ready/)));

    let typed = '';
    for (const [round, afterMs] of MOMENTS_MS.entries()) {
      const key = String.fromCharCode(97 + round);
      await program.prints(burst(round));
      // Typed at the same moment: in flight when the connection is cut, or kept until it is back.
      const typist = seats[round % seats.length];
      if (typist !== undefined) typeInto(typist.session, key);
      typed += key;
      // The moment of the cut is what this test varies.
      if (afterMs > 0) await sleep(afterMs);
      agentLeg.cut();
      const tail = new RegExp(`tail-${round}$`);
      await Promise.all(seats.map(({ screen }) => screen.sees(tail)));
      await terminalOf(page).shows(new RegExp(`tail-${round}\\s*$`));
      await program.got(typed);
    }
    expect(program.typed).toBe(typed);
    for (const { screen, session } of seats) {
      const printed = MOMENTS_MS.map((_, round) => burst(round).replaceAll('\r', '')).join('');
      expect(screen.text).toBe(
        `ready${printed}`.split('\n').slice(-screen.text.split('\n').length).join('\n'),
      );
      expect(session.lostBytes).toBe(0);
    }
  });
});

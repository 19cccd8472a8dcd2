/**
 * One flood with a fast client, one on a slow path and one that is stuck. Checks what does not depend on the speed of
 * the machine; `npx node test/flood.ts` measures the rest.
 */
import { describe, expect, it } from 'vitest';
import { PAYLOAD_MAX_BYTES } from '../../protocol/limits.ts';
import { WINDOW_FIRST_BYTES } from '../../vm-agent/output/credit-window.ts';
import { CuttingProxy } from '../support/cutting-proxy.ts';
import { CountingScreen, StallingScreen } from '../support/flood-screens.ts';
import type { TerminalScreen } from '../support/terminal-screen.ts';
import { typeInto } from '../support/type-into.ts';
import { World } from '../support/world.ts';

const SIZE = { cols: 80, rows: 24 };
const LINES = 300_000;
const LAST_LINE = 'flood-over';
/** As the terminal prints them, which turns each newline into two bytes. */
const PRINTED = [...Array.from({ length: LINES }, (_, i) => `${i + 1}`), LAST_LINE];
const BYTES = PRINTED.reduce((sum, line) => sum + line.length + 2, 0);
/** 128 kB/s and 50 ms each way. */
const SLOW_PATH = {
  toTarget: { bytesPerSecond: 128_000, delayMs: 50 },
  fromTarget: { bytesPerSecond: 128_000, delayMs: 50 },
};

/** What a person would see: the last screenful. */
const visible = (screen: TerminalScreen) => screen.text.split('\n').slice(-SIZE.rows);

describe('a flood with a fast, a slow and a stuck viewer', () => {
  it('[F21] [OU5] [OU9] [OU10] the fast one gets every byte, the stuck one few, and all end with the same screen', async () => {
    await using world = await World.open();
    await using slowPath = await CuttingProxy.to(world.relay.url, SLOW_PATH);
    const fast = await world.client();
    const script = `stty -echo; echo ready; read x; seq 1 ${LINES}; echo ${LAST_LINE}; read x`;
    const { id } = await fast.client.create({ ...SIZE, command: 'sh', args: ['-c', script] });
    const counted = new CountingScreen();
    const fastSession = fast.client.attach(id, SIZE, counted, { isNew: true });
    const slow = (await world.client('operator', slowPath.url)).attach(id);
    const stuck = new StallingScreen(SIZE);
    const stuckClient = await world.client();
    stuckClient.client.attach(id, SIZE, stuck);
    await Promise.all([
      counted.until(() => counted.bytes > 0),
      slow.screen.sees(/ready/),
      stuck.sees(/ready/),
    ]);

    stuck.stall();
    const before = counted.bytes;
    typeInto(fastSession, '\n');
    const accounted = () => counted.bytes - before + counted.lostBytes;
    await counted.until(() => accounted() >= BYTES);
    // Nothing twice and nothing missing, unless it was reported.
    expect(accounted()).toBe(BYTES);
    // Never more than its window and a frame, whatever was printed.
    expect(stuck.unparsedBytes).toBeLessThanOrEqual(1.25 * WINDOW_FIRST_BYTES + PAYLOAD_MAX_BYTES);

    stuck.wake();
    await Promise.all([slow.screen.sees(/^flood-over$/m), stuck.sees(/^flood-over$/m)]);
    const { screen: oracle } = (await world.client()).attach(id);
    await oracle.sees(/^flood-over$/m);
    expect(visible(oracle).slice(-3)).toEqual(PRINTED.slice(-3));
    expect(visible(slow.screen)).toEqual(visible(oracle));
    expect(visible(stuck)).toEqual(visible(oracle));
    expect(stuck.lostBytes).toBeGreaterThan(0);
  });
});

/** A client returns to a session that kept printing. */

import type { AttachOptions } from '../../client/attached-session.ts';
import { SCROLLBACK_LINES } from '../../vm-agent/screen/limits.ts';
import { SIZE } from '../contenders/client-side.ts';
import { Holdfast } from '../contenders/holdfast.ts';
import { shell, type Terminal } from '../contenders/terminal.ts';
import { until, within } from '../deadline.ts';
import { writeLines } from '../log-file.ts';
import { OUTPUTS } from '../outputs.ts';
import { ShownScreen } from './shown-screen.ts';

/** What is printed while no client is attached. */
export const MISSED = {
  '10 lines': { lines: 10, line: (n: number) => `${n}\r\n` },
  '20 000 short lines, which the ring still has': { lines: 20_000, line: (n: number) => `${n}\r\n` },
  '20 000 coloured lines, 2 MB, which it no longer has': { lines: 20_000, line: OUTPUTS['coloured log'] },
} as const;
export type Missed = keyof typeof MISSED;

const BEFORE = 'before\r\n';
const AFTER = 'after';

export interface ReattachSample {
  readonly by: 'delta' | 'snapshot';
  /** From requesting the session until its screen is shown, and until the history above it has arrived. */
  readonly screenMs: number;
  readonly wholeMs: number;
  /** The same, from the dial on. */
  readonly fromDialMs: number;
  readonly lines: number;
  /**
   * Of `screenMs`: in the agent, from the request to the last byte on its link; and parsing. The rest is the network.
   */
  readonly agentMs: number;
  readonly parseMs: number;
}

export async function measureReattach(
  missed: Missed,
  has: 'earlier output' | 'nothing',
  rounds: number,
): Promise<ReattachSample[]> {
  const { lines, line } = MISSED[missed];
  await using file = await writeLines(lines, line);
  await using holdfast = await Holdfast.start();
  const client = await holdfast.client();
  const samples: ReattachSample[] = [];
  for (let round = 0; round < rounds + 1; round++) {
    const id = await client.create(
      shell(`stty -echo; printf 'before\\n'; read go; cat '${file.path}'; printf ${AFTER}; read end`),
    );
    const { terminal, session } = await client.watch(id, true);
    await terminal.printed(BEFORE);
    const epoch = session.epoch === undefined ? {} : { epoch: session.epoch };
    await goOn(terminal, () => session.unsentBytes === 0);
    client.client.detach(id);
    await printedAll(holdfast, BEFORE.length + file.printedBytes + AFTER.length);
    const options = has === 'nothing' ? {} : { resume: { ...epoch, offset: BEFORE.length } };
    samples.push(await reattachOnce(holdfast, id, options, lines));
    await client.client.close(id);
  }
  return samples.slice(1); // the first warms up
}

async function goOn(terminal: Terminal, isTaken: () => boolean): Promise<void> {
  terminal.type(Buffer.from('\n'));
  await until('the key was taken', 1, async () => isTaken());
}

async function printedAll(holdfast: Holdfast, bytes: number): Promise<void> {
  await until(
    'everything printed',
    20,
    async () => (await holdfast.metric('holdfast_output_bytes')) === bytes,
  );
  await holdfast.caughtUp();
}

async function reattachOnce(
  holdfast: Holdfast,
  id: string,
  options: AttachOptions,
  lines: number,
): Promise<ReattachSample> {
  const dialledAt = performance.now();
  using client = await holdfast.newClient();
  const connectedMs = performance.now() - dialledAt;
  const screen = new ShownScreen();
  const agentBefore = await holdfast.metric('holdfast_recovery_seconds_sum');
  const askedAt = performance.now();
  const session = client.client.attach(id, SIZE, screen, { ...options, history: 'later' });
  await client.until('the session is live', () => session.state.name === 'live');
  const liveAt = performance.now();
  await screen.shown();
  const shownAt = performance.now();
  const agentMs = 1000 * ((await holdfast.metric('holdfast_recovery_seconds_sum')) - agentBefore);
  // What a screen's thread has not parsed yet is sent as it is, and then nothing follows later.
  if (screen.lines < Math.min(lines, SCROLLBACK_LINES)) {
    await within('the history', screen.begins(2));
    await screen.shown();
  }
  return {
    by: session.lastResume?.by ?? 'delta',
    screenMs: shownAt - askedAt,
    wholeMs: performance.now() - askedAt,
    fromDialMs: connectedMs + shownAt - askedAt,
    lines: screen.lines,
    agentMs,
    parseMs: shownAt - liveAt,
  };
}

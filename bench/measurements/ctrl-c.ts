/** How long the prompt takes after Ctrl-C during a flood. */
import { setTimeout as pause } from 'node:timers/promises';
import { type ContenderName, TITLES } from '../contenders/contender.ts';
import { interactive, PROMPT } from '../contenders/terminal.ts';
import type { Effort } from '../effort.ts';
import { median, pairedRatio, range } from '../measuring/statistics.ts';
import type { PathOptions } from '../paths/path.ts';
import type { Section } from '../report/section.ts';
import { type Lane, openLanes, takeTurns } from './lanes.ts';

const WINDOW_BYTES = 256 * 1024;
const SLOW: PathOptions = { roundTripMs: 40, bytesPerSecond: 2e6 };

const FLOODING_BYTES = 32 * 1024;
const FLOOD = Buffer.from('yes\n');
const CTRL_C = Buffer.from('\x03');

/** Long enough for windows to reach their size. */
export const FLOOD_MS = { loopback: 400, slow: 2_500 };
const SETTLE_MS = 100;

interface CtrlCSample {
  readonly ms: number;
  /** The bytes between the key and the prompt. */
  readonly bytes: number;
}

type Samples = ReadonlyMap<ContenderName, readonly CtrlCSample[]>;

export async function ctrlC({ rounds }: Effort): Promise<Section> {
  const peers: readonly ContenderName[] = ['pty', 'switch', 'holdfast', 'ttyd', 'ttyd+tmux'];
  const counting = await interrupt(peers, rounds * 3, FLOOD_MS.loopback, 'counting');
  const parsing = await interrupt(['switch', 'holdfast', 'ttyd'], rounds, FLOOD_MS.loopback, 'parsing');
  const slow = await interrupt(['switch', 'holdfast', 'ttyd'], rounds, FLOOD_MS.slow, 'counting', SLOW);
  const times = (samples: Samples, name: ContenderName) => (samples.get(name) ?? []).map(({ ms }) => ms);
  return {
    title: 'Ctrl-C in a flood',
    how:
      '`yes` at a prompt of `bash`, then Ctrl-C, until the prompt is back; medians in milliseconds, minimum and maximum in brackets, and the bytes that arrived in between. ' +
      'The bare switch has a window of 256 KiB. The slow path has 2 MB/s and a round trip of 40 ms.',
    columns: ['', 'loopback', 'bytes after it', 'with a parsing client', 'slow path', 'bytes after it'],
    rows: [...counting.keys()].map((name) => [
      TITLES[name],
      ...figures(counting.get(name)),
      figures(parsing.get(name))[0] ?? '–',
      ...figures(slow.get(name)),
    ]),
    ratios: {
      ctrlCVsSwitch: pairedRatio(times(counting, 'holdfast'), times(counting, 'switch')),
      ctrlCSlowExcessMs: median(times(slow, 'holdfast')) - SLOW.roundTripMs,
    },
    samples: Object.fromEntries(
      Object.entries({ counting, parsing, slow }).map(([name, samples]) => [
        name,
        Object.fromEntries(samples),
      ]),
    ),
  };
}

export async function interrupt(
  names: readonly ContenderName[],
  rounds: number,
  floodMs: number,
  client: 'counting' | 'parsing',
  path?: PathOptions,
): Promise<Samples> {
  await using resources = new AsyncDisposableStack();
  const options = { client, windowBytes: WINDOW_BYTES, ...(path === undefined ? {} : { path }) };
  const lanes = await openLanes(resources, names, interactive(), options);
  for (const { terminal } of lanes) await terminal.printed(PROMPT);
  await takeTurns(lanes, 1, (lane) => interruptOnce(lane, floodMs));
  return await takeTurns(lanes, rounds, (lane) => interruptOnce(lane, floodMs));
}

async function interruptOnce({ terminal }: Lane, floodMs: number): Promise<CtrlCSample> {
  // On a busy machine a shell takes a while to start a program, and an earlier Ctrl-C stops nothing.
  const flooding = terminal.printedBytes(FLOODING_BYTES);
  terminal.type(FLOOD);
  await flooding;
  terminal.ignore();
  await pause(floodMs);
  let bytes = 0;
  const prompt = terminal.printed(PROMPT, undefined, (count) => {
    bytes += count;
  });
  const typedAt = performance.now();
  terminal.type(CTRL_C);
  await prompt;
  const ms = performance.now() - typedAt;
  await pause(SETTLE_MS);
  return { ms, bytes };
}

function figures(samples: readonly CtrlCSample[] = []): string[] {
  if (samples.length === 0) return ['–', '–'];
  const times = samples.map(({ ms }) => ms);
  const [least, most] = range(times);
  const kilobytes = median(samples.map(({ bytes }) => bytes)) / 1000;
  return [
    `${median(times).toFixed(1)} (${least.toFixed(0)} to ${most.toFixed(0)})`,
    `${kilobytes.toFixed(0)} kB`,
  ];
}

/** Throughput when the client is far away, compared with a switch without flow control. */
import { type ContenderName, TITLES } from '../contenders/contender.ts';
import type { Effort } from '../effort.ts';
import { writeLogFile } from '../log-file.ts';
import { median, pairedRatio } from '../measuring/statistics.ts';
import type { Section } from '../report/section.ts';
import { openLanes, takeTurns } from './lanes.ts';
import { printer, printFile } from './print-file.ts';

const BYTES_PER_SECOND = 50e6;
const ROUND_TRIPS_MS = [40, 100];
const CONTENDERS: readonly ContenderName[] = ['switch', 'holdfast', 'ttyd'];

export async function distance({ rounds, distantMebibytes }: Effort): Promise<Section> {
  await using resources = new AsyncDisposableStack();
  const file = resources.use(await writeLogFile(distantMebibytes));
  const found = new Map<number, Map<ContenderName, number[]>>();
  for (const roundTripMs of ROUND_TRIPS_MS) {
    await using running = new AsyncDisposableStack();
    const path = { roundTripMs, bytesPerSecond: BYTES_PER_SECOND };
    const lanes = await openLanes(running, CONTENDERS, printer([file]), { path });
    for (const { terminal } of lanes) await terminal.printed('ready');
    const samples = await takeTurns(lanes, Math.ceil(rounds / 2), (lane, round) =>
      printFile(lane, file, 0, round),
    );
    found.set(
      roundTripMs,
      new Map([...samples].map(([name, all]) => [name, all.map((sample) => sample.mebibytesPerSecond)])),
    );
  }
  const rates = (roundTripMs: number, name: ContenderName) => found.get(roundTripMs)?.get(name) ?? [];
  const ratio = (roundTripMs: number) =>
    pairedRatio(rates(roundTripMs, 'holdfast'), rates(roundTripMs, 'switch'));
  return {
    title: 'Long distance',
    how:
      `${distantMebibytes} MiB of coloured log over a path of 50 MB/s; the first round starts with the smallest window. ` +
      'The bare switch has no window here: it is as fast as possible, but Ctrl-C on a slow path would take seconds. MiB/s.',
    columns: ['', ...ROUND_TRIPS_MS.map((ms) => `${ms} ms round trip`)],
    rows: [
      ...[...(found.get(40)?.keys() ?? [])].map((name) => [
        name === 'switch' ? `${TITLES.switch}, no window` : TITLES[name],
        ...ROUND_TRIPS_MS.map((ms) => median(rates(ms, name)).toFixed(1)),
      ]),
      [
        'Holdfast, relative to the switch without a window',
        ...ROUND_TRIPS_MS.map((ms) => `${ratio(ms).toFixed(2)}×`),
      ],
    ],
    ratios: { throughputRtt40VsUnlimited: ratio(40) },
    samples: Object.fromEntries([...found].map(([ms, rates]) => [ms, Object.fromEntries(rates)])),
  };
}

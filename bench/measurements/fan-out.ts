/** One session with many clients. */
import { TITLES } from '../contenders/contender.ts';
import { Holdfast } from '../contenders/holdfast.ts';
import type { Terminal } from '../contenders/terminal.ts';
import { shell } from '../contenders/terminal.ts';
import type { Effort } from '../effort.ts';
import { writeLogFile } from '../log-file.ts';
import { median, quantile } from '../measuring/statistics.ts';
import type { LineChart } from '../report/chart.ts';
import type { Section } from '../report/section.ts';
import { typeKeys } from './echo.ts';
import { type PrintSample, printer, printFile } from './print-file.ts';

const WATCHERS = [1, 4, 20];
const MEBIBYTES = 6;

interface FanOutSample extends PrintSample {
  readonly watchers: number;
  readonly echoP50Ms: number;
  readonly echoP95Ms: number;
}

export async function fanOut({ rounds, echoKeys }: Effort): Promise<Section> {
  await using log = await writeLogFile(MEBIBYTES);
  const samples: FanOutSample[] = [];
  for (const watchers of WATCHERS) {
    await using holdfast = await Holdfast.start();
    const echoing = await watched(holdfast, watchers, 'stty raw -echo; printf ready; exec cat');
    const keys = await typeKeys(echoing, echoKeys);
    const terminal = await watched(holdfast, watchers, printer([log]).args[1] ?? '');
    for (let round = 0; round < Math.ceil(rounds / 2) + 1; round++) {
      const sample = await printFile({ contender: holdfast, terminal }, log, 0, round);
      if (round === 0) continue; // warms up
      samples.push({ ...sample, watchers, echoP50Ms: quantile(keys, 0.5), echoP95Ms: quantile(keys, 0.95) });
    }
  }
  const of = (watchers: number, key: keyof FanOutSample) =>
    median(samples.filter((sample) => sample.watchers === watchers).map((sample) => Number(sample[key])));
  return {
    title: 'Many clients',
    how:
      `${MEBIBYTES} MiB of coloured log in one session with this many clients, all in one process; MiB/s of the one that types. ` +
      'Processor milliseconds per printed MiB, counted once, however many clients receive it.',
    columns: ['clients', 'MiB/s', 'agent ms/MiB', 'relay ms/MiB', 'messages/MiB', 'echo p50 ms', 'p95 ms'],
    rows: WATCHERS.map((watchers) => [
      String(watchers),
      of(watchers, 'mebibytesPerSecond').toFixed(1),
      of(watchers, 'moverMsPerMebibyte').toFixed(1),
      of(watchers, 'relayMsPerMebibyte').toFixed(1),
      of(watchers, 'messagesPerMebibyte').toFixed(1),
      of(watchers, 'echoP50Ms').toFixed(2),
      of(watchers, 'echoP95Ms').toFixed(2),
    ]),
    charts: [chart(of)],
    samples,
  };
}

/** A terminal with `script` that this client types into and the others watch. */
async function watched(holdfast: Holdfast, watchers: number, script: string): Promise<Terminal> {
  const client = await holdfast.client();
  const id = await client.create(shell(script));
  const { terminal } = await client.watch(id, true);
  await terminal.printed('ready');
  for (let other = 1; other < watchers; other++) {
    const seat = await (await holdfast.newClient()).watch(id, false);
    seat.terminal.ignore();
  }
  return terminal;
}

function chart(of: (watchers: number, key: keyof FanOutSample) => number): LineChart {
  const line = (label: string, key: keyof FanOutSample) => ({
    label,
    points: WATCHERS.map((watchers) => [watchers, of(watchers, key)] as const),
  });
  return {
    kind: 'lines',
    name: 'fan-out',
    title: `${TITLES.holdfast}: processor per MiB printed`,
    unit: 'ms',
    x: { title: 'clients', isLogarithmic: true },
    lines: [line('agent', 'moverMsPerMebibyte'), line('relay', 'relayMsPerMebibyte')],
  };
}

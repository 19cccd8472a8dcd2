/** The round trip of one keystroke to the program and back. */
import { setTimeout as pause } from 'node:timers/promises';
import { type ContenderName, TITLES } from '../contenders/contender.ts';
import { Holdfast } from '../contenders/holdfast.ts';
import { interactive, PROMPT, type Program, shell, type Terminal } from '../contenders/terminal.ts';
import type { Effort } from '../effort.ts';
import { writeLogFile } from '../log-file.ts';
import { median, pairedRatio, quantile } from '../measuring/statistics.ts';
import type { BarChart } from '../report/chart.ts';
import type { Section } from '../report/section.ts';
import { named, openLanes, takeTurns } from './lanes.ts';

/** A fast typist's keys are 50 ms apart; this is long enough for everything to become idle. */
const BETWEEN_KEYS_MS = 3;

const KEY = Buffer.from('k');
/** Deletes the line that the keys have typed. */
const CLEAR_LINE = Buffer.from('\x15');
const SETTLE_MS = 50;

const CONTENDERS: readonly ContenderName[] = ['pty', 'ws', 'switch', 'holdfast', 'ttyd', 'ttyd+tmux'];

/** Answers each key with itself, and nothing else. */
export const echoing: Program = shell('stty raw -echo; printf ready; exec cat');

/** Milliseconds of each key. */
export async function typeKeys(terminal: Terminal, keys: number): Promise<number[]> {
  const samples: number[] = [];
  for (let key = 0; key < keys; key++) {
    await pause(BETWEEN_KEYS_MS);
    const typedAt = performance.now();
    const echo = terminal.printedBytes(KEY.length);
    terminal.type(KEY);
    await echo;
    samples.push(performance.now() - typedAt);
  }
  return samples;
}

type Rounds = ReadonlyMap<ContenderName, readonly number[][]>;

export async function echo(effort: Effort): Promise<Section> {
  const idle = await atProgram(echoing, 'ready', effort, 2);
  const prompt = await atProgram(interactive(), PROMPT, effort, 1);
  const flooded = await whileAnotherFloods(effort);
  const at = (rounds: Rounds, name: ContenderName, q: number) =>
    (rounds.get(name) ?? []).map((samples) => quantile(samples, q));
  const ratio = (q: number) => pairedRatio(at(idle, 'holdfast', q), at(idle, 'switch', q));
  return {
    title: 'A keystroke and its echo',
    how:
      `Single keys in rounds of ${effort.echoKeys}, ${BETWEEN_KEYS_MS} ms apart, in alternating rounds: into \`cat\` in a raw terminal, at the prompt of \`bash\`, ` +
      'and into `cat` while another session of the same client prints coloured log endlessly. Milliseconds: the median of the quantiles of all rounds.',
    columns: ['', 'idle p50', 'p95', 'p99', 'at bash p50', 'p95', 'p99', 'during a flood p50', 'p95', 'p99'],
    rows: [...idle.keys()].map((name) => [
      TITLES[name],
      ...[idle, prompt, flooded.flooded].flatMap((rounds) =>
        [0.5, 0.95, 0.99].map((q) => {
          const values = at(rounds, name, q);
          return values.length === 0 ? '–' : median(values).toFixed(2);
        }),
      ),
    ]),
    charts: [chart(idle)],
    ratios: {
      echoP50VsSwitch: ratio(0.5),
      echoP99VsSwitch: ratio(0.99),
      echoUnderFloodVsIdle: pairedRatio(
        at(flooded.flooded, 'holdfast', 0.95),
        at(flooded.idle, 'holdfast', 0.95),
      ),
    },
    samples: {
      idle: Object.fromEntries(idle),
      prompt: Object.fromEntries(prompt),
      idleBeforeFlood: Object.fromEntries(flooded.idle),
      flooded: Object.fromEntries(flooded.flooded),
    },
  };
}

async function atProgram(
  program: Program,
  ready: string,
  { rounds, echoKeys }: Effort,
  times: number,
): Promise<Rounds> {
  await using resources = new AsyncDisposableStack();
  const lanes = await openLanes(resources, CONTENDERS, program);
  const type = async (terminal: Terminal, keys: number) => {
    const samples = await typeKeys(terminal, keys);
    if (program !== echoing) await clearLine(terminal);
    return samples;
  };
  for (const { contender, terminal } of lanes) {
    await terminal.printed(ready);
    await pause(SETTLE_MS);
    // The first keys of a new process are slow for all contenders.
    await named(contender.name, type(terminal, Math.min(50, echoKeys)));
  }
  return await takeTurns(lanes, rounds * times, ({ terminal }) => type(terminal, echoKeys));
}

async function clearLine(terminal: Terminal): Promise<void> {
  terminal.ignore();
  terminal.type(CLEAR_LINE);
  await pause(SETTLE_MS);
}

/** Quiet and flooded rounds alternate; only ours has more than one session. */
async function whileAnotherFloods({ rounds, echoKeys }: Effort): Promise<{ idle: Rounds; flooded: Rounds }> {
  await using log = await writeLogFile(8);
  await using holdfast = await Holdfast.start();
  const terminal = await holdfast.open(echoing);
  await terminal.printed('ready');
  // Ctrl-C ends the inner shell; the outer one continues and floods again.
  const flood = await holdfast.open(
    shell(
      `trap : INT; stty -echo; printf ready; while read go; do sh -c 'while cat "$0"; do :; done' '${log.path}'; done`,
    ),
  );
  await flood.printed('ready');
  const samples = { idle: [] as number[][], flooded: [] as number[][] };
  for (let round = 0; round < rounds; round++) {
    samples.idle.push(await typeKeys(terminal, echoKeys));
    flood.type(Buffer.from('\n'));
    await flood.printedBytes(log.printedBytes);
    flood.ignore();
    samples.flooded.push(await typeKeys(terminal, echoKeys));
    flood.type(Buffer.from('\x03'));
    await pause(500);
  }
  return {
    idle: new Map([['holdfast', samples.idle]]),
    flooded: new Map([['holdfast', samples.flooded]]),
  };
}

function chart(rounds: Rounds): BarChart {
  const middle = (samples: readonly number[][], q: number) => median(samples.map((one) => quantile(one, q)));
  return {
    kind: 'bars',
    name: 'echo',
    title: 'A key and its echo, idle',
    unit: 'ms',
    bars: [...rounds].flatMap(([name, samples]) =>
      [0.5, 0.99].map((q) => ({
        label: `${TITLES[name]}, p${q * 100}`,
        value: middle(samples, q),
        isOurs: name === 'holdfast',
      })),
    ),
  };
}

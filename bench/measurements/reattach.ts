/** Coming to a terminal and coming back to it: the first prompt, what was missed, a relay that was asleep. */
import { setTimeout as pause } from 'node:timers/promises';
import { SCROLLBACK_LINES } from '../../vm-agent/screen/limits.ts';
import type { AttachOptions } from '../../web/client/attached-session.ts';
import { SIZE } from '../contenders/client-side.ts';
import { type ContenderName, TITLES } from '../contenders/contender.ts';
import { Holdfast } from '../contenders/holdfast.ts';
import { startable, startContender } from '../contenders/start.ts';
import { interactive, PROMPT, shell, type Terminal } from '../contenders/terminal.ts';
import { until, within } from '../deadline.ts';
import type { Effort } from '../effort.ts';
import { writeLines } from '../log-file.ts';
import { median, quantile, range } from '../measuring/statistics.ts';
import { OUTPUTS } from '../outputs.ts';
import type { Goal, Section } from '../report/section.ts';
import { typeKeys } from './echo.ts';
import { ShownScreen } from './shown-screen.ts';

/** What is printed while nobody is there. */
const MISSED = {
  '10 lines': { lines: 10, line: (n: number) => `${n}\r\n` },
  '20 000 short lines, which the ring still has': { lines: 20_000, line: (n: number) => `${n}\r\n` },
  '20 000 coloured lines, 2 MB, which it has not': { lines: 20_000, line: OUTPUTS['coloured log'] },
} as const;
type Missed = keyof typeof MISSED;

const BEFORE = 'before\r\n';
const AFTER = 'after';

interface ReattachSample {
  readonly by: 'delta' | 'snapshot';
  /** From asking for the session until its screen is shown, and until the history above it is there as well. */
  readonly screenMs: number;
  readonly wholeMs: number;
  /** The same, from the dial on. */
  readonly fromDialMs: number;
  readonly lines: number;
  /** Of `screenMs`: in the agent, from the question to the last byte on its link; and parsing. The rest is the way. */
  readonly agentMs: number;
  readonly parseMs: number;
}

export async function reattach({ rounds }: Effort): Promise<Section> {
  const prompts = await measurePrompts(rounds);
  const wake = await measureWake(rounds);
  const cases: { name: string; samples: ReattachSample[] }[] = [];
  for (const missed of Object.keys(MISSED) as Missed[]) {
    for (const has of ['what came before', 'nothing'] as const)
      cases.push({
        name: `missed ${missed}; has ${has}`,
        samples: await measureReattach(missed, has, rounds),
      });
  }
  const screen = (index: number) => median((cases[index]?.samples ?? []).map(({ screenMs }) => screenMs));
  return {
    title: 'Coming back',
    how:
      'Milliseconds, medians, least and most in brackets. Reattaching: from asking for the session until its screen has been parsed by a headless xterm, as a page has it; ' +
      'then until the history above it is there as well; and the first again, from the dial on. Who has what came before resumes by offset: it gets the bytes it missed, or a screen where those are gone; who has nothing, as after a reload, gets a screen.',
    columns: ['', 'screen', 'with its history', 'screen, from the dial'],
    rows: [
      ...[...prompts].map(([name, samples]) => [
        `${TITLES[name]}: from the dial to the first prompt`,
        '–',
        '–',
        spread(samples),
      ]),
      ['a key and its echo, awake (p50)', spread(wake.awake), '–', '–'],
      ['a key and its echo, waking the object', spread(wake.asleep), '–', '–'],
      ...cases.map(({ name, samples }) => [
        `${name}: ${samples[0]?.by}`,
        spread(samples.map(({ screenMs }) => screenMs)),
        spread(samples.map(({ wholeMs }) => wholeMs)),
        spread(samples.map(({ fromDialMs }) => fromDialMs)),
      ]),
    ],
    goals: budget(cases[1]?.samples ?? []),
    ratios: {
      reattachScreenMs: Math.max(screen(0), screen(1)),
      reattach20kMs: Math.max(screen(2), screen(3), screen(4), screen(5)),
    },
    samples: { prompts: Object.fromEntries(prompts), wake, cases },
  };
}

/** Where the time of an ordinary screen goes, when a fresh page asks for it. */
function budget(samples: readonly ReattachSample[]): Goal[] {
  const goal = (what: string, most: number, of: (sample: ReattachSample) => number): Goal => {
    const ms = median(samples.map(of));
    return { what, goal: `≤ ${most} ms`, figure: `${ms.toFixed(1)} ms`, isMet: ms <= most };
  };
  return [
    goal('of that, in the agent: taking and packing the screen', 5, ({ agentMs }) => agentMs),
    goal(
      'of that, on its way, both ways',
      10,
      ({ screenMs, agentMs, parseMs }) => screenMs - agentMs - parseMs,
    ),
    goal('of that, parsing', 20, ({ parseMs }) => parseMs),
  ];
}

async function measurePrompts(rounds: number): Promise<Map<ContenderName, number[]>> {
  const samples = new Map<ContenderName, number[]>();
  for (const name of startable(['pty', 'switch', 'holdfast', 'ttyd', 'ttyd+tmux'])) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      await using contender = await startContender(name);
      // Everything that was there before the person came has had the time to be there.
      if (contender instanceof Holdfast) (await contender.newClient())[Symbol.dispose]();
      await pause(300);
      const startedAt = performance.now();
      await (await contender.open(interactive())).printed(PROMPT);
      times.push(performance.now() - startedAt);
    }
    samples.set(name, times);
  }
  return samples;
}

/** The first key after the object has been put to sleep, beside those that find it awake. */
async function measureWake(rounds: number): Promise<{ awake: number[]; asleep: number[] }> {
  await using holdfast = await Holdfast.start();
  const terminal = await holdfast.open(shell('stty raw -echo; printf ready; exec cat'));
  await terminal.printed('ready');
  const samples = { awake: [] as number[], asleep: [] as number[] };
  for (let round = 0; round < rounds * 3; round++) {
    samples.awake.push(quantile(await typeKeys(terminal, 20), 0.5));
    await pause(100);
    await holdfast.relay.evict('hibernate');
    samples.asleep.push(...(await typeKeys(terminal, 1)));
  }
  return samples;
}

async function measureReattach(
  missed: Missed,
  has: 'what came before' | 'nothing',
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
  await until(
    'everything parsed',
    20,
    async () => (await holdfast.metric('holdfast_screen_queue_bytes')) === 0,
  );
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
  // What a screen's thread has not parsed yet comes as it is, and then nothing is left to come later.
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

function spread(samples: readonly number[]): string {
  if (samples.length === 0) return '–';
  const [least, most] = range(samples);
  return `${median(samples).toFixed(1)} (${least.toFixed(1)} to ${most.toFixed(1)})`;
}

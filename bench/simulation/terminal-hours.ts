/**
 * The cost of an hour of a terminal: messages into the object and its time awake, for people who type, run programs
 * that print, and are mostly idle.
 */
import { Agenda } from './agenda.ts';
import { Random } from './random.ts';

/** Seconds of each in turn, on average; how fast is typed and printed meanwhile. */
export interface Habit {
  readonly name: string;
  readonly idleS: number;
  readonly typingS: number;
  readonly printingS: number;
  readonly keysPerSecond: number;
  readonly printedBytesPerSecond: number;
}

export const HABITS: readonly Habit[] = [
  habit('idle', 3600, 0, 0),
  habit('used now and then', 300, 10, 2),
  habit('used for work', 40, 15, 3),
  habit('with typing without a pause', 0, 60, 1),
  habit('with a build that prints all the time, attached', 1, 0, 60, 30_000),
  habit('with an endless flood, attached', 0.1, 0, 60, 10e6),
];

function habit(
  name: string,
  idleS: number,
  typingS: number,
  printingS: number,
  printedBytesPerSecond = 200_000,
): Habit {
  return { name, idleS, typingS, printingS, keysPerSecond: 5, printedBytesPerSecond };
}

/** At most; counted by test/e2e/cost.test.ts and `npm run bench`. */
const MESSAGES_PER_KEY = 4;
/** With full frames: 16 of them, and 2 acknowledgements. */
const MESSAGES_PER_MEBIBYTE = 18;
/** A program that prints little at a time: at most a frame in 4 ms, and an acknowledgement for every few. */
const MESSAGES_PER_SECOND_MAX = 250;
const FRAME_BYTES = 2_000;

/** An object sleeps this long after its last message. */
const SLEEPS_AFTER_S = 10;
const HOUR_S = 3600;

/** List prices of November 2026, beyond what a plan includes; see docs/evidence/cost.md. */
const MESSAGES_PER_REQUEST = 20;
const DOLLARS_PER_REQUEST = 0.15 / 1e6;
const DOLLARS_PER_AWAKE_S = 0.0056 / HOUR_S;

export interface HourlyCost {
  readonly messages: number;
  readonly awakeS: number;
  readonly dollars: number;
}

/** An hour of `terminals` terminals, each in its own workspace; the average of one. */
export function simulateHours(habit: Habit, terminals: number, seed: number): HourlyCost {
  const random = new Random(seed);
  let messages = 0;
  let awakeS = 0;
  for (let terminal = 0; terminal < terminals; terminal++) {
    const hour = simulateHour(habit, random);
    messages += hour.messages;
    awakeS += hour.awakeS;
  }
  const each = { messages: messages / terminals, awakeS: awakeS / terminals };
  const requests = each.messages / MESSAGES_PER_REQUEST;
  return { ...each, dollars: requests * DOLLARS_PER_REQUEST + each.awakeS * DOLLARS_PER_AWAKE_S };
}

function simulateHour(habit: Habit, random: Random): { messages: number; awakeS: number } {
  const agenda = new Agenda();
  let messages = 0;
  let awakeS = 0;
  /** Until when the object is awake; earlier events only prolong it. */
  let awakeUntilS = 0;
  const busy = (seconds: number, count: number) => {
    const nowS = agenda.nowMs / 1000;
    const endS = Math.min(HOUR_S, nowS + seconds);
    messages += count * ((endS - nowS) / seconds || 0);
    const sleepsAtS = Math.min(HOUR_S, endS + SLEEPS_AFTER_S);
    awakeS += Math.max(0, sleepsAtS - Math.max(nowS, awakeUntilS));
    awakeUntilS = Math.max(awakeUntilS, sleepsAtS);
  };
  const turn = () => {
    const typingS = random.exponential(habit.typingS);
    const printingS = random.exponential(habit.printingS);
    const idleS = random.exponential(habit.idleS);
    if (typingS > 0) busy(typingS, typingS * habit.keysPerSecond * MESSAGES_PER_KEY);
    agenda.after(typingS * 1000, () => {
      if (printingS > 0) busy(printingS, printingS * printingMessages(habit.printedBytesPerSecond));
      agenda.after((printingS + idleS) * 1000, turn);
    });
  };
  agenda.after(random.exponential(habit.idleS) * 1000, turn);
  agenda.run(HOUR_S * 1000);
  return { messages, awakeS };
}

/** A second of it: full frames, or as many small ones as may be sent before they are full. */
function printingMessages(bytesPerSecond: number): number {
  const full = (bytesPerSecond / 2 ** 20) * MESSAGES_PER_MEBIBYTE;
  const small = Math.min(MESSAGES_PER_SECOND_MAX, (1.25 * bytesPerSecond) / FRAME_BYTES);
  return Math.max(full, small);
}

/**
 * `holdfast agent reload`: asks the keeper to replace its agent (SIGUSR2), waits for the result and says it in one
 * sentence. Exits with 1 if the new agent has not taken over.
 */
import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { print, say } from '../../node/print.ts';
import { ConfigError, namedWorkspace } from '../settings/config.ts';
import { chooseKeeper } from './choose-keeper.ts';
import { type ReloadOutcome, Replacement } from './replacement.ts';
import { agentsOf, isKeeper, isKeeperLine, runningKeepers } from './running-keepers.ts';

/** An agent takes half a second to start, and many times that on a busy machine. */
const WITHIN_MS = 30_000;

/** An agent whose settings cannot be used lives for longer than this. */
const LOOK_EVERY_MS = 20;

export async function runReload(args: readonly string[]): Promise<number> {
  const { pid: given, settings } = readPid(args);
  const workspace = namedWorkspace(settings, process.env);
  const keepers = runningKeepers();
  if (keepers === undefined) return reloadUnseen(given);
  const keeper = given ?? chooseKeeper(keepers, workspace);
  if (typeof keeper === 'string') return refused(keeper);
  if (!isKeeper(keeper)) return refused(`Process ${keeper} is not a keeper.`);
  const before = agentsOf(keeper);
  const refusal = signal(keeper);
  if (refusal !== null) return refused(refusal);
  const outcome = await untilReplaced(keeper, new Replacement(before));
  if (outcome !== 'replaced') return refused(sentenceOf(outcome, before, keeper));
  const [now] = agentsOf(keeper);
  print(
    `The new agent (process ${now}) has taken over from ${before.join(', ') || 'none'}; shells keep running.`,
  );
  return 0;
}

/** Without /proc nobody can be looked for, and the result is not seen. */
function reloadUnseen(pid: number | undefined): number {
  if (pid === undefined) return refused('This system has no /proc to find the keeper in: give its --pid.');
  const line = execFileSync('ps', ['-o', 'args=', '-p', `${pid}`], { encoding: 'utf8' }).trim();
  if (!isKeeperLine(line.replaceAll(' ', '\0'))) return refused(`Process ${pid} is not a keeper.`);
  const refusal = signal(pid);
  if (refusal !== null) return refused(refusal);
  print(`The keeper (process ${pid}) was asked for a new agent; its log says whether that has taken over.`);
  return 0;
}

function readPid(args: readonly string[]): { pid: number | undefined; settings: readonly string[] } {
  const at = args.findIndex((arg) => arg === '--pid' || arg.startsWith('--pid='));
  if (at === -1) return { pid: undefined, settings: args };
  const [, inline] = (args[at] ?? '').split('=');
  const text = inline ?? args[at + 1] ?? '';
  if (!/^[1-9]\d{0,9}$/.test(text))
    throw new ConfigError(`--pid is ${JSON.stringify(text)}, which is not the number of a process.`);
  return { pid: Number(text), settings: args.toSpliced(at, inline === undefined ? 2 : 1) };
}

/** Why it could not be sent; null if it was. */
function signal(keeper: number): string | null {
  try {
    process.kill(keeper, 'SIGUSR2');
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return `The keeper (process ${keeper}) cannot be signalled (${code}); run this as its user.`;
  }
}

async function untilReplaced(
  keeper: number,
  replacement: Replacement,
): Promise<ReloadOutcome | 'late' | 'gone'> {
  const until = performance.now() + WITHIN_MS;
  while (performance.now() < until) {
    if (!isKeeper(keeper)) return 'gone';
    const outcome = replacement.look(agentsOf(keeper));
    if (outcome !== null) return outcome;
    await pause(LOOK_EVERY_MS);
  }
  return 'late';
}

function sentenceOf(outcome: 'failed' | 'late' | 'gone', before: readonly number[], keeper: number): string {
  if (outcome === 'gone') return `The keeper (process ${keeper}) has ended, and its shells with it.`;
  const old =
    before.length === 0 ? 'None was running before' : `The old one (process ${before.join(', ')}) goes on`;
  const what =
    outcome === 'failed' ? 'ended before it took over' : `has not taken over within ${WITHIN_MS / 1000} s`;
  return `The new agent ${what}. ${old}, and shells keep running; the log of the keeper says why.`;
}

function refused(sentence: string): number {
  say(`holdfast agent reload: ${sentence}`);
  return 1;
}

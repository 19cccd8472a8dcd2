/**
 * `holdfast agent reload`: asks the keeper to replace its agent, or with `--keeper` itself too, waits for the result and
 * says it in one sentence. Exits with 1 if the new one has not taken over.
 */
import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { print, say } from '../../node/print.ts';
import { RELOAD_SIGNAL, wishForKeeper } from '../keeper/reload-request.ts';
import { ConfigError, namedWorkspace } from '../settings/config.ts';
import { chooseKeeper } from './choose-keeper.ts';
import { KeeperReplacement, type KeeperSight } from './keeper-replacement.ts';
import { type ReloadOutcome, Replacement } from './replacement.ts';
import {
  agentsOf,
  canReplaceItself,
  isKeeper,
  isKeeperLine,
  looksLikeKeeper,
  runningKeepers,
  sightOf,
  startingKeepers,
} from './running-keepers.ts';

/** An agent takes half a second to start, and many times that on a busy machine. */
const WITHIN_MS = 30_000;

/** For how long a keeper hears nothing while it starts or is being replaced, and has no agent after that. */
const LISTENS_WITHIN_MS = 5_000;
const LOOKS_MIN = 3;

const KEEPER_TOO = '--keeper';

const LINUX_ONLY =
  'A keeper can be replaced in place on Linux only. Restart it, which ends its shells; without --keeper, only its agent is replaced.';

/** An agent whose settings cannot be used lives for longer than this. */
const LOOK_EVERY_MS = 20;

export async function runReload(args: readonly string[]): Promise<number> {
  const { pid: given, settings } = readPid(args.filter((arg) => arg !== KEEPER_TOO));
  const isKeeperToo = args.includes(KEEPER_TOO);
  const workspace = namedWorkspace(settings, process.env);
  if (runningKeepers() === undefined) return isKeeperToo ? refused(LINUX_ONLY) : reloadUnseen(given);
  const keeper = await findKeeper(given, workspace);
  if (typeof keeper === 'string') return refused(keeper);
  return isKeeperToo ? replaceKeeper(keeper) : replaceAgent(keeper);
}

/**
 * The pid, or a sentence that says why there is none. Waits for a keeper that may be the one in a moment. In the middle
 * of an exec a process has no command line at all, so it is looked for more than once.
 */
async function findKeeper(
  given: number | undefined,
  workspace: string | undefined,
): Promise<number | string> {
  const end = performance.now() + LISTENS_WITHIN_MS;
  for (let looks = 1; ; looks++) {
    const keepers = runningKeepers() ?? [];
    const isUnsettled =
      given === undefined
        ? startingKeepers().length > 0 || keepers.some((keeper) => keeper.workspace === undefined)
        : looksLikeKeeper(given);
    const found = given === undefined ? chooseKeeper(keepers, workspace) : checked(given);
    const isSure = !isUnsettled && looks >= LOOKS_MIN;
    if (typeof found === 'number' || isSure || performance.now() > end) return found;
    await pause(LOOK_EVERY_MS);
  }
}

function checked(pid: number): number | string {
  return isKeeper(pid) ? pid : `Process ${pid} is not a keeper.`;
}

/** An exec keeps the pid, so the keeper is seen to be another one by its command line. */
async function replaceKeeper(keeper: number): Promise<number> {
  const before = sightOf(keeper);
  if (before === undefined || !canReplaceItself(keeper)) return refused(cannotReplaceItself(keeper));
  process.title = wishForKeeper(keeper);
  const refusal = signal(keeper);
  if (refusal !== null) return refused(refusal);
  const replacement = new KeeperReplacement(before);
  const look = (sight: KeeperSight) => replacement.look(sight, performance.now());
  const outcome = await until(() => sightOf(keeper), look);
  if (outcome !== 'replaced') return refused(sentenceOf(outcome, before.agents, keeper, 'keeper'));
  print(`The keeper (process ${keeper}) and its agent were replaced by new ones; shells keep running.`);
  return 0;
}

async function replaceAgent(keeper: number): Promise<number> {
  const before = agentsOf(keeper);
  const refusal = signal(keeper);
  if (refusal !== null) return refused(refusal);
  const replacement = new Replacement(before);
  const outcome = await until(
    () => sightOf(keeper),
    ({ agents }) => replacement.look(agents),
  );
  if (outcome !== 'replaced') return refused(sentenceOf(outcome, before, keeper, 'agent'));
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
    process.kill(keeper, RELOAD_SIGNAL);
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return `The keeper (process ${keeper}) cannot be signalled (${code}); run this as its user.`;
  }
}

/** Looks until `judge` is sure. `gone`: the keeper has ended. */
async function until<Sight>(
  see: () => Sight | undefined,
  judge: (sight: Sight) => ReloadOutcome | null,
): Promise<ReloadOutcome | 'late' | 'gone'> {
  const end = performance.now() + WITHIN_MS;
  while (performance.now() < end) {
    const sight = see();
    if (sight === undefined) return 'gone';
    const outcome = judge(sight);
    if (outcome !== null) return outcome;
    await pause(LOOK_EVERY_MS);
  }
  return 'late';
}

function sentenceOf(
  outcome: 'failed' | 'late' | 'gone',
  before: readonly number[],
  keeper: number,
  what: 'agent' | 'keeper',
): string {
  if (outcome === 'gone') return `The keeper (process ${keeper}) has ended, and its shells with it.`;
  const because =
    outcome === 'late'
      ? `has not taken over within ${WITHIN_MS / 1000} s`
      : what === 'agent'
        ? 'ended before it took over'
        : 'cannot take over';
  const old = what === 'keeper' ? [keeper] : before;
  const goesOn =
    old.length === 0 ? 'None was running before' : `The old one (process ${old.join(', ')}) goes on`;
  return `The new ${what} ${because}. ${goesOn}, and shells keep running; the log of the keeper says why.`;
}

function cannotReplaceItself(keeper: number): string {
  return `The keeper (process ${keeper}) cannot be replaced in place: it is older than this feature, or its Node is older than 22.15. Restart it, which ends its shells.`;
}

function refused(sentence: string): number {
  say(`holdfast agent reload: ${sentence}`);
  return 1;
}

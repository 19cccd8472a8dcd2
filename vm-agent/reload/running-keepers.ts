/**
 * Finds the keepers of this user in /proc. There is no file with their pid that could be stale, and no socket that
 * somebody could connect to.
 */
import { readFileSync, readlinkSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import { basename } from 'node:path';
import { KEEPER_FD } from '../keeper/agent-socket.ts';
import { RELOAD_SIGNAL } from '../keeper/reload-request.ts';
import { isCheckLine, takeOversIn } from '../keeper/take-over.ts';
import { KEEPER_CAPABILITIES_VARIABLE, type KeeperCapability } from '../keeper/versions.ts';
import { allProcesses, processStat } from '../pty/process-session.ts';
import { ConfigError, namedWorkspace } from '../settings/config.ts';
import type { KeeperSight } from './keeper-replacement.ts';

export interface RunningKeeper {
  readonly pid: number;
  /** What its agent's settings name, as that process reads them; undefined if it has no agent at the moment. */
  readonly workspace: string | undefined;
}

/** `holdfast agent` names itself like this; else the program is one of ours that Node runs. */
const KEEPER_LINE = /^holdfast keeper(?:[ \0]|$)|\/keeper(?:\.js|\/main\.ts)(?:\0|$)/;
const AGENT_FILE = /agent\/main\.[jt]s$/;

export function isKeeperLine(commandLine: string): boolean {
  return KEEPER_LINE.test(commandLine);
}

/** Undefined without /proc. */
export function runningKeepers(uid = process.getuid?.()): RunningKeeper[] | undefined {
  const pids = allProcesses()?.filter((pid) => ownerOf(pid) === uid && isKeeper(pid));
  return pids?.map((pid) => ({ pid, workspace: workspaceOf(agentsOf(pid)[0]) }));
}

/** Whether the process is a keeper, and hears requests. An editor may have a file of the keeper open. */
export function isKeeper(pid: number): boolean {
  return looksLikeKeeper(pid) && handles(pid, RELOAD_SIGNAL);
}

/**
 * Whether it is a keeper, or one that is just starting or being replaced. A shell that was forked and has not become
 * its program yet still has the command line of its keeper.
 */
export function looksLikeKeeper(pid: number): boolean {
  if (!isKeeperLine(read(pid, 'cmdline')) || !isNode(pid)) return false;
  const parent = processStat(pid)?.parent;
  return parent !== undefined && !isKeeperLine(read(parent, 'cmdline'));
}

/** Keepers of this user that do not hear requests yet. */
export function startingKeepers(uid = process.getuid?.()): number[] {
  return (allProcesses() ?? []).filter(
    (pid) => ownerOf(pid) === uid && looksLikeKeeper(pid) && !handles(pid, RELOAD_SIGNAL),
  );
}

/** The agent processes of a keeper: one, or two while one replaces the other. */
export function agentsOf(keeper: number): number[] {
  return (allProcesses() ?? []).filter((pid) => processStat(pid)?.parent === keeper && isAgent(pid));
}

/** What can be seen of a keeper that replaces itself; undefined once it has ended. */
export function sightOf(keeper: number): KeeperSight | undefined {
  if (processStat(keeper) === undefined) return undefined;
  const children = (allProcesses() ?? []).filter((pid) => processStat(pid)?.parent === keeper);
  return {
    takeOvers: takeOversIn(read(keeper, 'cmdline')),
    isChecking: children.some((pid) => isCheckLine(read(pid, 'cmdline'))),
    agents: children.filter(isAgent),
  };
}

/** Whether the keeper can replace itself, as it tells its agent. One without an agent may be asked. */
export function canReplaceItself(keeper: number): boolean {
  const wanted: KeeperCapability = 'upgrade';
  return agentsOf(keeper).every((agent) =>
    variablesOf(agent)[KEEPER_CAPABILITIES_VARIABLE]?.split(',').includes(wanted),
  );
}

function isAgent(pid: number): boolean {
  return read(pid, 'environ')
    .split('\0')
    .some((variable) => variable.startsWith(`${KEEPER_FD}=`));
}

function workspaceOf(agent: number | undefined): string | undefined {
  if (agent === undefined) return undefined;
  const line = read(agent, 'cmdline').split('\0').slice(0, -1);
  const args = line.slice(line.findIndex((arg) => AGENT_FILE.test(arg)) + 1);
  try {
    return namedWorkspace(args, variablesOf(agent));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return undefined;
  }
}

function variablesOf(pid: number): Record<string, string> {
  const pairs = read(pid, 'environ')
    .split('\0')
    .map((variable) => [variable.split('=', 1)[0] ?? '', variable.slice(variable.indexOf('=') + 1)]);
  return Object.fromEntries(pairs);
}

/** The name stays after an upgrade has deleted the file: `node (deleted)`. */
function isNode(pid: number): boolean {
  try {
    return basename(readlinkSync(`/proc/${pid}/exe`)).startsWith('node');
  } catch {
    return false; // of another user, who would not be signalled either
  }
}

/** Whether the process has a handler for the signal. */
function handles(pid: number, signal: NodeJS.Signals): boolean {
  const [, caught = '0'] = /^SigCgt:\s*([0-9a-f]+)$/m.exec(read(pid, 'status')) ?? [];
  return ((BigInt(`0x${caught}`) >> BigInt(constants.signals[signal] - 1)) & 1n) === 1n;
}

function ownerOf(pid: number): number | undefined {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid;
}

/** Empty for a process that has ended, and for one of another user where that may not be read. */
function read(pid: number, what: 'cmdline' | 'environ' | 'status'): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'utf8');
  } catch {
    return '';
  }
}

/** Chooses the keeper that a reload is for. Nothing is guessed. Pure. */
import type { RunningKeeper } from './running-keepers.ts';

/** The pid, or a sentence that says why there is none. */
export function chooseKeeper(
  keepers: readonly RunningKeeper[],
  workspace: string | undefined,
): number | string {
  const fitting = keepers.filter((keeper) => workspace === undefined || keeper.workspace === workspace);
  const [only] = fitting;
  if (only !== undefined && fitting.length === 1) return only.pid;
  const what = workspace === undefined ? 'this user' : `this user for the workspace "${workspace}"`;
  if (only !== undefined)
    return `There are ${fitting.length} keepers of ${what}: ${listed(fitting)}. Give --pid.`;
  const none = `There is no keeper of ${what}.`;
  return keepers.length === 0 ? none : `${none} Others are ${listed(keepers)}; --pid chooses one.`;
}

function listed(keepers: readonly RunningKeeper[]): string {
  return keepers.map(({ pid, workspace }) => `${pid} (${workspace ?? 'without an agent now'})`).join(', ');
}

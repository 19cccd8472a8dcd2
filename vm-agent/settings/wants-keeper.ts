/** Whether a command line of the agent asks for a keeper. Kept apart, because the keeper itself needs no other settings. */

/** Runs the agent as one process, which owns the terminals itself. */
export const NO_KEEPER = '--no-keeper';

const WITHOUT: readonly string[] = [NO_KEEPER, '--help', '-h'];

export function wantsKeeper(args: readonly string[]): boolean {
  const [command = ''] = args;
  return command !== 'doctor' && command !== 'reload' && !args.some((arg) => WITHOUT.includes(arg));
}

/**
 * The option by which a keeper starts the one that replaces it. Keepers before it refuse an option that they do not
 * know, so none of them starts by mistake as if it were the first.
 */
const OPTION = '--take-over';

/** `check`: only say whether it could. A number: it does, as the nth keeper in this process after the first. */
export type TakeOver = 'check' | number;

export function takeOverOption(how: TakeOver): string {
  return `${OPTION}=${how}`;
}

const VALUE = /^--take-over=(check|[1-9]\d{0,8})$/;

export function readTakeOver(args: readonly string[]): {
  readonly takeOver: TakeOver | null;
  /** For the agent. */
  readonly others: readonly string[];
} {
  const value = args.map((arg) => VALUE.exec(arg)?.[1]).find((found) => found !== undefined);
  const others = args.filter((arg) => !VALUE.test(arg));
  if (value === undefined) return { takeOver: null, others };
  return { takeOver: value === 'check' ? value : Number(value), others };
}

/** How often the keeper with this command line has replaced itself. */
export function takeOversIn(commandLine: string): number {
  return Number(/--take-over=(\d{1,9})(?:[ \0]|$)/.exec(commandLine)?.[1] ?? 0);
}

/** Whether it is the command line of a keeper that only says whether it could take over. */
export function isCheckLine(commandLine: string): boolean {
  return /--take-over=check(?:[ \0]|$)/.test(commandLine);
}

/**
 * The definition of a command: its name, its documented options and the function it runs. The help text is generated
 * from it.
 */
import { parseArgs } from 'node:util';
import { UsageError } from './usage-error.ts';

export interface Option {
  /** The placeholder for the value in the help, such as `<file>`; absent for a switch. */
  readonly value?: string;
  readonly short?: string;
  /** May be given several times. */
  readonly multiple?: boolean;
  readonly meaning: string;
}

export interface Command {
  readonly name: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  /** What comes after the options, such as `<session>`. */
  readonly operands?: string;
  readonly about: string;
  readonly options: Readonly<Record<string, Option>>;
  readonly examples: readonly (readonly [line: string, what: string])[];
  /** The command parses its own arguments, including --help. */
  readonly readsItsOwn?: true;
  /** Resolves with the exit code. */
  run(input: Input): Promise<number>;
}

/** The parsed command line of one command. */
export interface Input {
  readonly operands: readonly string[];
  /** Everything after `--`; undefined when there is none. */
  readonly rest: readonly string[] | undefined;
  /** The arguments as typed. */
  readonly raw: readonly string[];
  text(option: string): string | undefined;
  list(option: string): readonly string[];
  has(option: string): boolean;
}

export function readInput(command: Command, args: readonly string[]): Input {
  const cut = args.indexOf('--');
  const [own, rest] = cut === -1 ? [args, undefined] : [args.slice(0, cut), args.slice(cut + 1)];
  const { values, positionals } = command.readsItsOwn ? { values: {}, positionals: [] } : parse(command, own);
  mustFit(command, positionals);
  const given = values as Readonly<Record<string, unknown>>;
  return {
    operands: positionals,
    rest,
    raw: args,
    text: (option) => (typeof given[option] === 'string' ? (given[option] as string) : undefined),
    list: (option) => (Array.isArray(given[option]) ? (given[option] as string[]) : []),
    has: (option) => given[option] === true,
  };
}

function parse(command: Command, args: readonly string[]) {
  const options = Object.entries(command.options).map(([name, { value, short, multiple }]) => [
    name,
    {
      type: value === undefined ? 'boolean' : 'string',
      ...(short === undefined ? {} : { short }),
      ...(multiple === undefined ? {} : { multiple }),
    },
  ]);
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: command.operands !== undefined,
      options: Object.fromEntries(options),
    });
  } catch (error) {
    // Node appends advice that is longer than the message.
    throw new UsageError((error as Error).message.split('. ')[0] ?? 'The options were not understood');
  }
}

function mustFit({ operands = '' }: Command, given: readonly string[]): void {
  const most = operands.includes('...')
    ? Number.POSITIVE_INFINITY
    : operands.split(' ').filter(Boolean).length;
  if (given.length > most) throw new UsageError(`unexpected argument "${given.slice(most).join(' ')}"`);
}

/** What `holdfast <command> --help` prints. */
export function helpOf({ name, operands, about, options, examples }: Command): string {
  const rows = Object.entries(options).map(([long, { value, short, meaning }]) => {
    const left = `${short === undefined ? '    ' : `-${short}, `}--${long}${value === undefined ? '' : ` ${value}`}`;
    return left.length > 28 ? `  ${left}\n${' '.repeat(32)}${meaning}` : `  ${left.padEnd(30)}${meaning}`;
  });
  const lines = examples.map(([line, what]) => `  ${line}\n      ${what}`);
  return [
    `usage: holdfast ${name}${rows.length > 0 ? ' [options]' : ''}${operands === undefined ? '' : ` ${operands}`}`,
    '',
    about,
    ...(rows.length > 0 ? ['', ...rows] : []),
    ...(lines.length > 0 ? ['', 'Examples:', ...lines] : []),
  ].join('\n');
}

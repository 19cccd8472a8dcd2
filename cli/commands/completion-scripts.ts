/** Generates completion scripts from the command definitions. Sessions are listed when the Tab key is pressed. */
import type { Command } from '../command-line/command.ts';

const optionsOf = ({ options }: Command) => Object.keys(options).map((name) => `--${name}`);

/** Whether the command takes a session as its argument. */
const takesSession = ({ operands }: Command) => operands?.includes('<session>') ?? false;

/** One call lists all sessions; it prints nothing if the relay cannot be reached. */
const SESSIONS = 'holdfast ls --quiet 2>/dev/null';

export function bashCompletion(commands: readonly Command[]): string {
  const names = commands.map(({ name }) => name).join(' ');
  const cases = commands.map((command) => {
    const sessions = takesSession(command) ? ` $(${SESSIONS})` : '';
    return `    ${command.name}) words="${[...optionsOf(command), ...extrasOf(command)].join(' ')} --help${sessions}" ;;`;
  });
  return `_holdfast() {
  local words current="\${COMP_WORDS[COMP_CWORD]}"
  case "$COMP_CWORD-\${COMP_WORDS[1]}" in
    1-*) words="${names} --help --version" ;;
  esac
  [ "$COMP_CWORD" -gt 1 ] && case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _holdfast holdfast`;
}

export function zshCompletion(commands: readonly Command[]): string {
  const described = commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`);
  const cases = commands.map((command) => {
    const options = Object.entries(command.options).map(
      ([name, { meaning, value }]) =>
        `'--${name}${value === undefined ? '' : '='}[${inBrackets(meaning)}]${value === undefined ? '' : ':value:_default'}'`,
    );
    const rest = takesSession(command)
      ? "'*:session:_holdfast_sessions'"
      : `'*:: :(${extrasOf(command).join(' ')})'`;
    return `    ${command.name}) _arguments ${[...options, rest].join(' ')} ;;`;
  });
  return `#compdef holdfast
_holdfast_sessions() {
  local -a sessions=(\${(f)"$(${SESSIONS})"})
  compadd -a sessions
}
_holdfast() {
  local -a commands=(
${described.join('\n')}
  )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  local command=$words[2]
  shift words; (( CURRENT-- ))
  case $command in
${cases.join('\n')}
  esac
}
compdef _holdfast holdfast`;
}

export function fishCompletion(commands: readonly Command[]): string {
  const lines = commands.flatMap((command) => {
    const when = `-n '__fish_seen_subcommand_from ${command.name}'`;
    return [
      `complete -c holdfast -n __fish_use_subcommand -f -a ${command.name} -d ${quoted(command.summary)}`,
      ...Object.entries(command.options).map(
        ([name, { short, value, meaning }]) =>
          `complete -c holdfast ${when} -l ${name}${short === undefined ? '' : ` -s ${short}`}${value === undefined ? ' -f' : ' -r'} -d ${quoted(meaning)}`,
      ),
      ...(takesSession(command) ? [`complete -c holdfast ${when} -f -a '(${SESSIONS})'`] : []),
      ...extrasOf(command).map((word) => `complete -c holdfast ${when} -f -a ${word}`),
    ];
  });
  return lines.join('\n');
}

/** Completions that are not options. */
function extrasOf({ name }: Command): readonly string[] {
  if (name === 'completion') return ['bash', 'zsh', 'fish'];
  return name === 'agent' ? ['doctor'] : [];
}

/** Quotes text for a shell, in single quotes. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
/** Escapes brackets, which end a description in zsh, and single quotes, because the description is in them. */
const inBrackets = (text: string) => text.replace(/[[\]:]/g, '\\$&').replaceAll("'", `'\\''`);

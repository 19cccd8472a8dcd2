/** Whether a command can be run now, and if not, why. */
import type { PageCommand } from './command-table.ts';

/** What a command needs. `terminal` is the one that the command is about; null if there is none. */
export interface CommandContext {
  readonly mayType: boolean;
  /** Whether the page has a login of its own, with which another device can be let in. */
  readonly hasLogin: boolean;
  readonly canReopen: boolean;
  readonly terminal: {
    /** Panes of its tab. */
    readonly panes: number;
    /** Whether its pane may be divided once more. */
    readonly canSplit: boolean;
    /** Whether the other panes of its tab are on the page too. */
    readonly showsPanes: boolean;
    /** Place of its tab, and how many there are. */
    readonly index: number;
    readonly count: number;
    readonly hasSelection: boolean;
    readonly hasPrompts: boolean;
    /** A full-screen program has no history. */
    readonly isFullScreen: boolean;
  } | null;
}

/** Kinds of commands that change something, which a viewer may not. */
const TYPING = [
  'new',
  'new-here',
  'duplicate',
  'split',
  'close',
  'close-others',
  'close-tab',
  'reopen',
  'rename',
  'paste',
];
/** Kinds of commands that need no terminal. */
const WITHOUT_TERMINAL = ['new', 'reopen', 'palette', 'sessions', 'device', 'settings', 'zoom'];

/** What makes no sense for this page or user at all is left out of menus. */
export function isOffered({ kind }: PageCommand, { hasLogin, mayType }: CommandContext): boolean {
  return (mayType || !TYPING.includes(kind)) && (hasLogin || kind !== 'device');
}

/** Why the command does nothing now, in a few words; null if it can be run. */
export function reasonAgainst(command: PageCommand, context: CommandContext): string | null {
  const { canReopen, terminal } = context;
  if (!isOffered(command, context)) return command.kind === 'device' ? 'no login' : 'view only';
  if (command.kind === 'reopen') return canReopen ? null : 'nothing was closed';
  if (WITHOUT_TERMINAL.includes(command.kind)) return null;
  return terminal === null ? 'no terminal' : reasonInTerminal(command, terminal);
}

function reasonInTerminal(
  command: PageCommand,
  terminal: NonNullable<CommandContext['terminal']>,
): string | null {
  const { canSplit, count, hasPrompts, hasSelection, index, isFullScreen, panes, showsPanes } = terminal;
  switch (command.kind) {
    case 'copy':
      return hasSelection ? null : 'nothing is selected';
    case 'clear':
      return isFullScreen ? 'a full-screen program has none' : null;
    case 'prompt':
      return hasPrompts ? null : 'the shell makes no marks';
    case 'split':
      return canSplit ? null : 'there are too many panes';
    case 'pane':
    case 'zoom-pane':
    case 'close-tab':
      return panes > 1 ? null : 'there is one pane';
    case 'to-divider':
      return showsPanes ? null : 'one pane is shown';
    case 'close-others':
    case 'switch':
      return count > 1 ? null : 'there is no other';
    case 'go':
      return command.index < count ? null : 'there are not so many';
    case 'move':
      if (index + command.step < 0) return 'it is the first';
      return index + command.step < count ? null : 'it is the last';
    default:
      return null;
  }
}

/** Whether a command can be run now, and if not, why. */
import type { PageCommand } from './command-table.ts';

/** What a command needs. `terminal` is the one that the command is about; null if there is none. */
export interface CommandContext {
  readonly mayType: boolean;
  /** Whether the user may create, rename and close sessions. */
  readonly mayManage: boolean;
  /** Whether the page has a login of its own, with which another device can be let in. */
  readonly hasLogin: boolean;
  /** Whether the user may make links for others. */
  readonly mayShare: boolean;
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

/** Kinds of commands that type, which a viewer may not. */
const TYPING = ['compose', 'paste'];
/** Kinds of commands that create, rename or close sessions, which a guest of one session may not either. */
const MANAGING = [
  'new',
  'new-here',
  'duplicate',
  'split',
  'close',
  'close-others',
  'close-tab',
  'reopen',
  'rename',
];
/** Kinds of commands that need no terminal. */
const WITHOUT_TERMINAL = ['new', 'reopen', 'palette', 'sessions', 'share', 'device', 'settings', 'zoom'];

/** What makes no sense for this page or user at all is left out of menus. */
export function isOffered({ kind }: PageCommand, context: CommandContext): boolean {
  if (kind === 'device') return context.hasLogin;
  if (kind === 'share') return context.mayShare;
  if (TYPING.includes(kind)) return context.mayType;
  return context.mayManage || !MANAGING.includes(kind);
}

/** Why the command does nothing now, in a few words; null if it can be run. */
export function reasonAgainst(command: PageCommand, context: CommandContext): string | null {
  const { canReopen, terminal } = context;
  if (!isOffered(command, context)) return reasonNotOffered(command, context);
  if (command.kind === 'reopen') return canReopen ? null : 'nothing was closed';
  if (WITHOUT_TERMINAL.includes(command.kind)) return null;
  return terminal === null ? 'no terminal' : reasonInTerminal(command, terminal);
}

function reasonNotOffered({ kind }: PageCommand, { mayType }: CommandContext): string {
  if (kind === 'device') return 'no login';
  return mayType ? 'not allowed' : 'view only';
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

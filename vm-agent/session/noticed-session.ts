/** The notices of a session: continues with those of another agent process, if there was one. */
import { SessionNotices } from '../attention/session-notices.ts';
import type { SessionCommands } from '../commands/session-commands.ts';
import type { SavedAttention } from '../disk/metadata.ts';
import type { SessionOutput } from '../output/session-output.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { SessionOptions } from './session-options.ts';
import type { SessionState } from './session-state.ts';

interface NoticedParts extends Pick<SessionOptions<unknown>, 'adopted' | 'clock' | 'lookForWait'> {
  readonly terminal: Terminal;
  readonly commands: SessionCommands;
  readonly state: SessionState;
  /** Opened after this. */
  readonly output: () => SessionOutput;
  readonly changed: () => void;
}

export function openNotices(parts: NoticedParts): SessionNotices {
  const { adopted, clock, lookForWait, terminal, commands, state, output, changed } = parts;
  return new SessionNotices({
    clock,
    lookForWait,
    saved: adopted?.attention,
    start: adopted?.end ?? 0,
    session: {
      commands,
      get end() {
        return terminal.ring.end;
      },
      get pid() {
        return terminal.pty.pid;
      },
      get exit() {
        return state.exit;
      },
      get isFullScreen() {
        return output().screen.isAlternate;
      },
    },
    changed,
    store: (attention: SavedAttention) => output().storage.update({ attention }),
  });
}

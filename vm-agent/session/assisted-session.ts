/** A session as assistants use it: thin, over its terminal, its marks and the system's view of its program. */
import { basename } from 'node:path';
import type { Clock } from '../../protocol/clock.ts';
import type { SessionCommands } from '../commands/session-commands.ts';
import type { SessionStorage } from '../disk/session-storage.ts';
import { drawText } from '../output/command-output.ts';
import type { OpenScreen } from '../output/session-output.ts';
import { lookAtForeground } from '../pty/foreground-look.ts';
import type { SpawnSpec } from '../pty/pty.ts';
import type { AssistedSession } from '../run/session-assist.ts';
import type { Terminal } from '../terminal/terminal.ts';

interface AssistedParts {
  readonly spec: SpawnSpec;
  readonly terminal: Terminal;
  readonly commands: SessionCommands;
  readonly storage: SessionStorage;
  readonly openScreen: OpenScreen;
  readonly clock: Clock;
  readonly widths: string;
  readonly marksNonce: string;
  readonly createdAt: Date;
  readonly hasExited: () => boolean;
  readonly touched: () => void;
}

export function assistedSession(parts: AssistedParts): AssistedSession {
  const { spec, terminal, commands, storage, openScreen, clock, widths, marksNonce, createdAt } = parts;
  const { input, pty, ring } = terminal;
  return {
    marksNonce,
    input,
    program: basename(spec.command),
    get size() {
      return terminal.size;
    },
    get start() {
      return ring.start;
    },
    get end() {
      return ring.end;
    },
    get hasExited() {
      return parts.hasExited();
    },
    get ageMs() {
      return Date.now() - createdAt.getTime();
    },
    get isAtPrompt() {
      return commands.isAtPrompt;
    },
    get prompts() {
      return commands.prompts;
    },
    get running() {
      const { running } = commands;
      return running === undefined ? null : (running.commandLine ?? 'a command');
    },
    read: (from, to) => ring.read(from).subarray(0, Math.max(0, to - Math.max(from, ring.start))),
    draw: (bytes) => drawText(bytes, terminal.size, { openScreen, widths, clock }),
    cwd: () => pty.cwd(),
    look: async () => (pty.pid === 0 ? null : lookAtForeground(pty.pid)),
    touched: parts.touched,
    store: (runs) => storage.leave?.('runs', JSON.stringify(runs)),
  };
}

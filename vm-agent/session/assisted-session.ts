/** A session as assistants use it: thin, over its terminal, its marks and the system's view of its program. */
import { basename } from 'node:path';
import type { Clock } from '../../protocol/clock.ts';
import type { SessionCommands } from '../commands/session-commands.ts';
import { drawText } from '../output/command-output.ts';
import type { OpenScreen, SessionOutput } from '../output/session-output.ts';
import { lookAtForeground, signalForeground } from '../pty/foreground-look.ts';
import type { SpawnSpec } from '../pty/pty.ts';
import { waitingForInput } from '../pty/waiting-for-input.ts';
import type { AssistedSession } from '../run/assisted-session.ts';
import { encodeAssist, type SavedAssist } from '../run/saved-assist.ts';
import { SessionAssist } from '../run/session-assist.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { SessionIdentity } from './session-options.ts';

interface AssistedParts {
  readonly identity: SessionIdentity;
  readonly spec: SpawnSpec;
  readonly terminal: Terminal;
  readonly commands: SessionCommands;
  readonly output: SessionOutput;
  readonly openScreen: OpenScreen;
  readonly clock: Clock;
  readonly createdAt: Date;
  /** What another agent process knew. */
  readonly saved: SavedAssist | undefined;
  readonly hasExited: () => boolean;
  /** Absent unless another agent process has started it. */
  readonly adopted?: object | undefined;
  /** The keyboard has another holder. */
  readonly keyboardChanged: () => void;
}

export function openAssist(parts: AssistedParts): SessionAssist {
  const { clock, keyboardChanged, saved } = parts;
  return new SessionAssist({ clock, keyboardChanged, saved, session: assistedSession(parts) });
}

function assistedSession(parts: AssistedParts): AssistedSession {
  const { spec, terminal, commands, output, openScreen, clock, createdAt } = parts;
  const { marksNonce, widths } = parts.identity;
  const { input, pty, ring } = terminal;
  let drawing: Promise<string | null> = Promise.resolve(null);
  return {
    marksNonce,
    input,
    program: basename(spec.command),
    isAdopted: parts.adopted !== undefined,
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
    draw: (bytes) => {
      // One at a time: a hostile output takes long, and much memory.
      drawing = drawing.then(() => drawText(bytes, terminal.size, { openScreen, widths, clock }));
      return drawing;
    },
    cwd: () => pty.cwd(),
    // Null until the program was started.
    look: () => (pty.foreground() === null ? null : lookAtForeground(pty.pid)),
    waiting: async () => {
      const { waits, program } = await waitingForInput(pty.pid);
      return waits ? (program ?? '') : null;
    },
    signal: (name) => signalForeground(pty.pid, name),
    touched: () => {
      terminal.touch();
      output.typed();
    },
    store: (saved) => output.storage.put?.('runs', encodeAssist(saved)),
  };
}

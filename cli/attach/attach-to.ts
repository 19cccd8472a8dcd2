/** Shows one session in this terminal until the user detaches, the program exits or the session is gone. */

import { constants } from 'node:os';
import type { AttachedSession } from '../../client/attached-session.ts';
import { say } from '../../node/print.ts';
import { systemClock } from '../../node/system-clock.ts';
import { SENTENCE_MAX_CHARS } from '../../protocol/limits.ts';
import type { SessionInfo } from '../../protocol/messages/session-info.ts';
import { printable } from '../../protocol/printable.ts';
import { type CliConnection, refusedBy } from '../client/connect.ts';
import { exitCodeOf } from '../client/program-exit.ts';
import { EXIT } from '../command-line/exit-codes.ts';
import { DetachKey } from './detach-key.ts';
import { LocalTerminal } from './local-terminal.ts';
import { OwnColours } from './own-colours.ts';
import { refuseOwnSession } from './own-session.ts';
import { attachStatusOf } from './status.ts';
import { TerminalStatusLine } from './status-line.ts';
import { TtyScreen } from './tty-screen.ts';

export interface AttachHow {
  readonly isReadOnly: boolean;
  readonly withHistory: boolean;
  /** This window decides the size at once, not only after the first key. */
  readonly takesOver: boolean;
  readonly detachKey: string | null;
  /** Allows attaching to the session that this command itself runs in. */
  readonly isForced: boolean;
}

interface Ending {
  readonly exitCode: number;
  readonly sentence: string;
}

/** Resolves with the exit code, once the terminal is restored. */
export async function attachTo(connected: CliConnection, info: SessionInfo, how: AttachHow): Promise<number> {
  const { client, trouble } = connected;
  if (!how.isForced) refuseOwnSession(info, process.env);
  let end: (exitCode: number, sentence: string) => void = () => {};
  const ending = new Promise<Ending>((resolve) => {
    end = (exitCode, sentence) => resolve({ exitCode, sentence });
  });
  const name = printable(info.name) || info.id;

  const keys = new DetachKey(how.detachKey);
  const colours = new OwnColours({
    clock: systemClock,
    ask: (questions) => terminal.write(questions),
    typed: (bytes) => {
      const { typed, detaches } = keys.take(bytes);
      if (!how.isReadOnly) session.type(typed);
      if (detaches) end(EXIT.ok, `detached from ${name}; still running`);
    },
    known: (theme) => client.setTheme(theme),
  });
  const terminal = LocalTerminal.open(
    {
      typed: (bytes) => colours.read(bytes),
      resized: (size) => {
        if (!how.isReadOnly) session.resize(size);
      },
      hungUp: () => end(128 + constants.signals.SIGHUP, 'the window was closed'),
    },
    () => screen.plain(),
  );
  // A client that only watches sets no colours. A terminal that only shows text would print the queries.
  if (!how.isReadOnly && !['', 'dumb'].includes(process.env.TERM ?? '')) colours.ask();
  const screen = new TtyScreen(terminal, () => session.redraw());
  const session: AttachedSession = client.attach(info.id, how.isReadOnly ? null : terminal.size, screen, {
    history: how.withHistory ? 'all' : 'none',
  });
  const status = statusLineOf(terminal, () => session.redraw());
  let isDecided = how.isReadOnly;

  const look = () => {
    const over = endOf(session, name);
    if (over !== null) end(over.exitCode, over.sentence);
    if (client.state.name === 'refused') {
      const refusal = refusedBy(trouble() ?? { code: client.state.code, sentence: client.state.why });
      end(refusal.exitCode, refusal.message);
    }
    if (!isDecided && session.state.name === 'live') {
      isDecided = true;
      // A page shows a larger screen in a smaller font. Here the upper rows would be cut off, so a user who attaches
      // from a smaller window takes over.
      if (how.takesOver || screen.isTooSmall) session.takeOver();
    }
    const { unsentBytes, discardedBytes, state } = session;
    const situation = { client: client.state, session: state, unsentBytes, discardedBytes };
    status.tell(attachStatusOf({ ...situation, trouble: trouble()?.sentence ?? null }, new Date()));
  };
  const stopListening = client.onChange(look);
  const stopSignals = onSignals((signal) => end(128 + constants.signals[signal], `ended by ${signal}`));
  look();

  const { exitCode, sentence } = await ending;
  stopListening();
  stopSignals();
  status.close();
  client.detach(info.id);
  screen.close();
  await colours.settled();
  terminal.close();
  say(`[${printable(sentence, SENTENCE_MAX_CHARS)}]`);
  return exitCode;
}

/** On standard error: standard output is the session's. */
function statusLineOf(terminal: LocalTerminal, redraw: () => void): TerminalStatusLine {
  const { stderr } = process;
  return new TerminalStatusLine(
    {
      isTerminal: stderr.isTTY,
      get size() {
        return terminal.size;
      },
      write: (text) => stderr.write(text),
    },
    systemClock,
    redraw,
  );
}

/** How the session itself ended, if it has. */
function endOf({ state }: AttachedSession, name: string): Ending | null {
  if (state.name === 'exited') {
    const how = state.signal === null ? `exit code ${state.exitCode ?? 'unknown'}` : state.signal;
    return { exitCode: exitCodeOf(state), sentence: `${name} has ended: ${how}` };
  }
  return state.name === 'gone' ? { exitCode: EXIT.noSession, sentence: `${name}: ${state.why}` } : null;
}

function onSignals(act: (signal: 'SIGTERM' | 'SIGHUP' | 'SIGINT') => void): () => void {
  const signals = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;
  const listeners = signals.map((signal) => [signal, () => act(signal)] as const);
  for (const [signal, listener] of listeners) process.on(signal, listener);
  return () => {
    for (const [signal, listener] of listeners) process.off(signal, listener);
  };
}

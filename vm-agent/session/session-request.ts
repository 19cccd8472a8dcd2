/** What a session is asked to be, and the program that makes of it. */
import { resolve } from 'node:path';
import type { Size } from '../../protocol/frame.ts';
import type { Theme } from '../../protocol/messages.ts';
import type { SpawnSpec } from '../pty/pty.ts';
import { sessionEnvironment } from '../pty/session-environment.ts';

export interface SessionRequest {
  readonly name?: string | undefined;
  /** At most one live session has a given key; asking for it again finds that one. */
  readonly key?: string | undefined;
  /** The session this one takes the place of; the first to ask creates, every other gets that one. */
  readonly replaces?: string | undefined;
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly size: Size;
  /** Colours of the window it is asked for from. */
  readonly theme?: Theme | undefined;
  /** How long it is kept without viewers; the agent's own setting when it does not say. */
  readonly graceMs?: number | undefined;
}

/** Shell, directory and environment of a session that asks for nothing else. */
export interface SessionDefaults {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** `id` is the session's: programs find it in TERM_SESSION_ID, so that an `attach` to its own session can be refused. */
export function programOf(request: SessionRequest, defaults: SessionDefaults, id: string): SpawnSpec {
  const { cols, rows } = request.size;
  // Of a session that is revived it is among the variables, and counts as none that a caller has added.
  const { TERM_SESSION_ID: _ours, ...added } = request.env ?? {};
  return {
    command: request.command ?? defaults.command,
    args: request.args ?? [],
    cwd: resolve(defaults.cwd, request.cwd ?? '.'),
    env: { ...sessionEnvironment(defaults.env, added), TERM_SESSION_ID: id },
    size: { cols, rows },
  };
}

/** A request for a session, and the program that it starts. */
import { resolve } from 'node:path';
import type { Size } from '../../protocol/frame.ts';
import type { Theme } from '../../protocol/messages/message-parts.ts';
import type { StoredCommands } from '../commands/stored-commands.ts';
import type { SpawnSpec } from '../pty/pty.ts';
import { sessionEnvironment } from '../pty/session-environment.ts';

export interface SessionRequest {
  readonly name?: string | undefined;
  /** At most one running session has a given key; requesting the key again returns that session. */
  readonly key?: string | undefined;
  /** The session this one replaces. The first request creates the replacement; later requests return it. */
  readonly replaces?: string | undefined;
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly size: Size;
  /** Colours of the window that requests it. */
  readonly theme?: Theme | undefined;
  /** The version of the model that measures its text; the agent's setting if undefined. */
  readonly widths?: string | undefined;
  /** The nonce of an earlier life's marks, so that they stay valid; a new one if undefined. */
  readonly marksNonce?: string | undefined;
  /** Its grace period; the agent's setting if undefined. */
  readonly graceMs?: number | undefined;
  /** The commands of a revived session. */
  readonly commands?: StoredCommands | undefined;
}

/** Shell, directory, environment and width model for requests that do not name their own. */
export interface SessionDefaults {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** By default the newest model. */
  readonly widths?: string;
}

/** `id` is the session's id. Programs find it in TERM_SESSION_ID, so that `attach` can refuse its own session. */
export function programOf(request: SessionRequest, defaults: SessionDefaults, id: string): SpawnSpec {
  const { cols, rows } = request.size;
  // The stored environment of a revived session contains it, but no caller added it.
  const { TERM_SESSION_ID: _ours, ...added } = request.env ?? {};
  return {
    command: request.command ?? defaults.command,
    args: request.args ?? [],
    cwd: resolve(defaults.cwd, request.cwd ?? '.'),
    env: { ...sessionEnvironment(defaults.env, added), TERM_SESSION_ID: id },
    size: { cols, rows },
  };
}

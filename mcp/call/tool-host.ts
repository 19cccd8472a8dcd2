/** What the tools need from the program that serves them: the Worker, or `holdfast mcp`. */
import type { WorkspaceClient } from '../../client/workspace-client.ts';
import type { Clock } from '../../protocol/clock.ts';
import type { ClientRole } from '../../protocol/roles.ts';
import type { ToolError } from './tool-error.ts';

/** A session's screen. */
export interface ScreenText {
  /** As it was sent, in pieces: it is a machine's, and may be far longer than a screen. */
  readonly pieces: readonly Uint8Array[];
  readonly cols: number;
  readonly rows: number;
  readonly offset: number;
  readonly cursor?: { readonly row: number; readonly col: number };
}

/** Text to wait for: exactly one of `text` and `pattern`. */
export interface SoughtText {
  readonly session: string;
  readonly text?: string | undefined;
  readonly pattern?: string | undefined;
  /** Look at the output from this offset on, and not at the screen. */
  readonly since?: number | undefined;
}

/** Ends when the caller does not want the answer any more. */
export interface Cancellation {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

export interface ToolHost {
  readonly clock: Clock;
  /** Null while it is unknown; the relay refuses what a role may not do. */
  role(): Promise<ClientRole | null>;
  /** Runs `act` with a connected client, which other calls may use too: `act` must not attach a session. */
  withClient<T>(act: (client: WorkspaceClient) => Promise<T>): Promise<T>;
  /** The same for an `act` that waits for long. */
  withWaitingClient<T>(act: (client: WorkspaceClient) => Promise<T>): Promise<T>;
  /**
   * How long the agent is asked to wait at once. It keeps a place for every request that waits, also for one whose caller
   * has stopped waiting, and each client has few of them.
   */
  readonly waitAtOnceMs: number;
  /** The same with a client of its own, which is closed when `act` or the call has ended. */
  withOwnClient<T>(cancelled: Cancellation, act: (client: WorkspaceClient) => Promise<T>): Promise<T>;
  takeScreen(session: string): Promise<ScreenText>;
  /** Resolves with the line of the match; null if there was none in time. */
  printed(sought: SoughtText, withinMs: number, cancelled: Cancellation): Promise<string | null>;
  /** A random text that nobody can guess. */
  newKey(): string;
  /** A digest of the text, as an id. */
  digest(text: string): Promise<string>;
  /** The id under which an assistant with this name has the keyboard; undefined if its connection stands for it. */
  holderOf(actor: string): Promise<string | undefined>;
  /** How the assistant is called if it does not say so itself. */
  readonly name: string | undefined;
  /** The error to show for one that this program expects; undefined for a bug, which it logs. */
  explain(error: unknown): ToolError | undefined;
}

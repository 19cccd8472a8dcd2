/** The session, as far as assistants use it. */
import type { ForegroundLook } from '../pty/foreground-look.ts';
import type { SessionInput } from '../terminal/session-input.ts';
import type { OutputSource } from './run-output.ts';
import type { SavedAssist } from './saved-assist.ts';

export interface AssistedSession extends OutputSource {
  readonly marksNonce: string;
  readonly input: Pick<SessionInput, 'accept' | 'accepted' | 'write' | 'promise'>;
  readonly hasExited: boolean;
  /** Whether another agent process has started it. */
  readonly isAdopted: boolean;
  readonly ageMs: number;
  /** The name of the program that was started. */
  readonly program: string;
  /** Whether the shell is at its prompt, as its marks tell; undefined if it makes none. */
  readonly isAtPrompt: boolean | undefined;
  /** Counts the prompts that the shell has marked. */
  readonly prompts: number;
  /** The command that runs, as marks tell. */
  readonly running: string | null;
  cwd(): string | null;
  /** What the system tells of the foreground; null if nothing. */
  look(): ForegroundLook | null;
  /** The program in the foreground that waits for input; null if none does. */
  waiting(): Promise<string | null>;
  /** Signals the program in the foreground. False if there is none. */
  signal(name: NodeJS.Signals): boolean;
  /** Something is typed. */
  touched(): void;
  /** Stores what another agent process needs. */
  store(saved: SavedAssist): void;
}

/** A command of ours that runs in the background, and the part of the system that runs it: systemd or launchd. */

/** Tells a command that it runs as a service, so that its output is kept in a log. */
export const SERVICE_VARIABLE = 'HOLDFAST_SERVICE';

/** Names are also names of files. */
const NAME = /^holdfast-[\w-]{1,80}$/;

export const isServiceName = (name: string): boolean => NAME.test(name);

export interface Service {
  /** Begins with `holdfast-`. */
  readonly name: string;
  /** One line, for people who list the services of the machine. */
  readonly description: string;
  /** The program with its arguments; paths are absolute. */
  readonly program: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The signal that reloads it, without `SIG`. */
  readonly reloadSignal?: string | undefined;
  /** Files and directories that stay when the service is removed; people are told. */
  readonly keeps: readonly string[];
}

export interface ServiceManager {
  /** The file that describes this service to the system. */
  fileOf(name: string): string;
  /** The directory of those files, and what their names end with. */
  readonly directory: string;
  readonly suffix: string;
  /** The content of the file, with these lines, which are comments. */
  describe(service: Service, comments?: readonly string[]): string;
  /** A line with a comment. `text` has no control characters, and no two hyphens in a row. */
  comment(text: string): string;
  /** The part of such a file that says what is run. */
  programIn(text: string): string | undefined;
  /** Throws a StartError if it does not run on this machine. */
  requireHere(): Promise<void>;
  isRunning(name: string): Promise<boolean>;
  /** Starts it, now and with the machine or at login. */
  start(name: string): Promise<void>;
  stop(name: string): Promise<void>;
  /** To be called when a file was removed. */
  forget(name: string): Promise<void>;
  /** A clause that says where the service's log is. */
  logOf(name: string): string;
  /** A sentence about what people should know of services here; null if there is nothing. */
  caveat(): Promise<string | null>;
}

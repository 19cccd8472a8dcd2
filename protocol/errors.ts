/**
 * Stable error codes. Programs compare the code; people read the sentence beside it.
 */

export const ERROR_CODES = [
  'agent_offline', // no agent is connected to this workspace
  'bad_request', // the message is well-formed, but its values are not valid
  'command_missing', // the program to start does not exist
  'command_unknown', // the session's list of commands has no such number
  'cwd_missing', // the directory to start in does not exist, or is not a directory
  'forbidden', // this role may not do that
  'input_backlog', // the program does not read its input, and the queue is full
  'input_conflict', // this instance has already typed something else
  'input_hole', // earlier input is missing; attach again
  'internal', // a bug in Holdfast
  'keyboard_busy', // an assistant has the keyboard of this session
  'no_pty', // the machine could not allocate a terminal
  'not_executable', // the program to start exists but is not executable
  'output_gone', // what was asked for was printed, but is no longer kept
  'session_exited', // the session's process has ended
  'session_limit', // the machine has reached its session limit
  'session_missing', // no session has this id, or it is gone
  'shell_busy', // the session's shell does not wait for a command
  'slow_down', // too many messages; nothing is lost yet
  'taken_over', // somebody has taken the keyboard from the assistant that typed
  'unauthorized', // the credential is missing or not valid
  'unsupported', // the agent is of an earlier version, which cannot do that
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** The peer violated the protocol. Its connection is closed with `protocol_error`. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

/** An expected refusal. It is sent to the requester as an `error` message; the connection stays open. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, sentence: string) {
    super(sentence);
    this.code = code;
  }
}

/** A viewer wants to type or to change something. */
export function viewOnly(): Refusal {
  return new Refusal('forbidden', 'This link is view-only.');
}

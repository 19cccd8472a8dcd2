/**
 * What can go wrong, by stable code. Programs compare the code; people read the sentence beside it.
 */

export const ERROR_CODES = [
  'agent_offline', // no agent is connected to this workspace
  'bad_request', // the message is understood but its values make no sense
  'command_missing', // the program to start does not exist
  'cwd_missing', // the directory to start in does not exist, or is not a directory
  'forbidden', // this role may not do that
  'input_backlog', // the program does not read its input and the queue is full
  'input_conflict', // this instance has typed something else before
  'input_hole', // input before this is missing; attach again
  'internal', // our bug
  'no_pty', // the machine has no terminal to give
  'not_executable', // the program to start exists but may not be run
  'session_exited', // the session's process has ended
  'session_limit', // as many sessions as this machine allows
  'session_missing', // no session has this id (any more)
  'slow_down', // too many messages for the moment; nothing is lost yet
  'unauthorized', // no credential, or one that does not hold
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** The peer broke the rules of the wire. Its connection is closed with `protocol_error`. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

/** An expected refusal: travels to whoever asked as an `error` message, and ends nothing. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, sentence: string) {
    super(sentence);
    this.code = code;
  }
}

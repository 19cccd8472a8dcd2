/** An error answer of the API: a status, a stable code and a sentence. */
import { type ErrorCode, Refusal } from '../../protocol/errors.ts';

export type FailureStatus =
  | 400
  | 401
  | 403
  | 404
  | 405
  | 408
  | 409
  | 410
  | 413
  | 422
  | 426
  | 429
  | 500
  | 501
  | 502
  | 503
  | 504;

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: FailureStatus;
  readonly code: string;

  /** For the Retry-After header. */
  readonly retryAfterMs: number | undefined;

  constructor(status: FailureStatus, code: string, sentence: string, retryAfterMs?: number) {
    super(sentence);
    this.retryAfterMs = retryAfterMs;
    this.status = status;
    this.code = code;
  }
}

/** The HTTP status for a refusal by the relay or the agent. */
const STATUS: Readonly<Record<ErrorCode, FailureStatus>> = {
  agent_offline: 503,
  bad_request: 400,
  command_missing: 422,
  command_unknown: 404,
  cwd_missing: 422,
  forbidden: 403,
  input_backlog: 429,
  input_conflict: 422,
  input_hole: 409,
  internal: 500,
  keyboard_busy: 409,
  no_pty: 503,
  not_executable: 422,
  output_gone: 410,
  session_exited: 409,
  session_limit: 409,
  session_missing: 404,
  shell_busy: 409,
  slow_down: 429,
  taken_over: 409,
  unauthorized: 401,
  unsupported: 501,
};

/** The answer to an exception from a handler; undefined when the exception is a bug. */
export function apiErrorOf(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (error instanceof Refusal) return new ApiError(STATUS[error.code], error.code, error.message);
  return undefined;
}

/** The agent did not answer, so it is unknown whether the change happened. */
export const unknownOutcome = () =>
  new ApiError(
    504,
    'unknown_outcome',
    'The machine did not confirm in time. The request may have taken effect: check before you try again.',
  );

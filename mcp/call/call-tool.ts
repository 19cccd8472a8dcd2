/** Runs one call of a tool: checks its arguments, limits its time, and turns every failure into an answer. */
import * as v from 'valibot';
import { NoAnswer } from '../../client/requests/requests.ts';
import { ProtocolError, Refusal } from '../../protocol/errors.ts';
import { MCP_CALL_MS } from '../../protocol/limits.ts';
import { printable } from '../../protocol/printable.ts';
import { tellProgress, within } from './patience.ts';
import type { Tool, ToolAnswer, ToolCall } from './tool.ts';
import { ToolError } from './tool-error.ts';
import type { ToolHost } from './tool-host.ts';

/** How long an answer may take after its time: a reconnect, and the way. */
const SLACK_MS = 9_000;

export type ToolOutcome =
  | { readonly ok: true; readonly answer: ToolAnswer }
  | { readonly ok: false; readonly error: ToolError };

export interface CallOptions extends ToolCall {
  /** Absent if the caller does not want to hear that the call goes on. */
  readonly progress?: (seconds: number) => void;
}

export async function callTool(tool: Tool, input: unknown, options: CallOptions): Promise<ToolOutcome> {
  const { progress, ...call } = options;
  const { clock } = call.host;
  const stop = progress === undefined ? () => {} : tellProgress(clock, progress);
  try {
    const checked = checkedInput(tool, input);
    const withinMs = tool.isPatient ? patienceOf(checked) + SLACK_MS : MCP_CALL_MS;
    const answer = await within(clock, withinMs, call.cancelled, tool.call(checked as never, call));
    return { ok: true, answer };
  } catch (error) {
    return { ok: false, error: explained(error, call.host) };
  } finally {
    stop();
  }
}

/** The message names the argument and what is expected, never the value. */
function checkedInput({ input: schema }: Tool, input: unknown): unknown {
  const given = Array.isArray(input) ? undefined : (input ?? {});
  const result = v.safeParse(schema, given, { abortEarly: true });
  if (result.success) return result.output;
  const [issue] = result.issues;
  const field = printable(v.getDotPath(issue) ?? '', 64);
  const must =
    issue.expected === 'never' ? 'is not a known argument' : `must be ${issue.expected ?? 'valid'}`;
  throw new ToolError('bad_request', `${field === '' ? 'The arguments' : `The argument ${field}`} ${must}.`);
}

function patienceOf(input: unknown): number {
  return (input as { readonly timeoutMs?: number }).timeoutMs ?? MCP_CALL_MS;
}

function explained(error: unknown, host: ToolHost): ToolError {
  if (error instanceof ToolError) return error;
  const told = host.explain(error);
  if (told !== undefined) return told;
  if (error instanceof NoAnswer)
    return new ToolError(
      'no_answer',
      `${error.message} Try again; with an idempotencyKey nothing is done twice.`,
    );
  if (error instanceof Refusal) return new ToolError(error.code, error.message);
  if (error instanceof ProtocolError)
    return new ToolError('bad_agent', 'The machine sent data that cannot be used. Update its agent.');
  return new ToolError('internal', 'Holdfast failed. Try again; if this persists, see its log.');
}

/**
 * Reads control messages: JSON text frames (rule WF6). Each message is declared once, in `client-message.ts`,
 * `server-message.ts` or `agent-message.ts`; the declaration provides the type and the validation.
 *
 * Unknown fields are dropped, so that a newer peer may send more than this build understands.
 */
import * as v from 'valibot';
import { ProtocolError } from '../errors.ts';

export function messageReader<M>(schema: v.GenericSchema<unknown, M>): (text: string) => M {
  return (text) => {
    const result = v.safeParse(schema, parseJson(text), { abortEarly: true });
    if (result.success) return result.output;
    throw new ProtocolError(describe(result.issues[0]));
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ProtocolError('a text frame that is not JSON');
  }
}

/** Names the field, never its value: the value may be a secret, and the message is logged. */
function describe(issue: v.BaseIssue<unknown>): string {
  return `bad message: ${v.getDotPath(issue) ?? 'the message itself'} is not ${issue.expected ?? 'valid'}`;
}

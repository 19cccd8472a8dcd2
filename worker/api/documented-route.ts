/** How a route of the API is documented, and the answers that several of them give. */
import type * as v from 'valibot';
import type { Access } from '../gate/passage.ts';
import type { Handler, Route } from '../http/http.ts';
import { errorSchema } from './request/schemas.ts';

export interface Answers {
  /** By status code: its meaning, and its body as a schema, a media type, or nothing. */
  readonly [status: number]: readonly [means: string, body?: v.GenericSchema | string];
}

export interface Documentation {
  /** The operation's name in generated clients. Must be unique, and must not change once published. */
  readonly operationId: string;
  readonly summary: string;
  /** What the schemas cannot express. */
  readonly description?: string;
  readonly query?: v.GenericSchema;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: v.GenericSchema;
  /** Whether the body may also be raw bytes, as application/octet-stream. */
  readonly takesBytes?: boolean;
  readonly answers: Answers;
}

export type DocumentedRoute = Route & { readonly documentation: Documentation };

export const route = (
  method: Route['method'],
  path: string,
  access: Access,
  handle: Handler,
  documentation: Documentation,
): DocumentedRoute => ({ method, path, access, handle, documentation });

export const offline = ['The machine is not connected.', errorSchema] as const;
export const missing = ['There is no such session.', errorSchema] as const;
export const ended = ['The program has ended.', errorSchema] as const;
export const unknown = ['It is not known whether this happened.', errorSchema] as const;

export const busy = [
  'There are too many connections or large answers; try again later.',
  errorSchema,
] as const;
export const outdated = ['The agent of the machine is too old for that.', errorSchema] as const;
export const waiting = [
  'Too many requests of this token wait, or it has too many connections.',
  errorSchema,
] as const;
export const late = ['The machine did not answer in time.', errorSchema] as const;
export const useless = ['The machine sent data that cannot be used.', errorSchema] as const;

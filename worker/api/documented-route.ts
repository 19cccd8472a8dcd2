/** A route of the API with what /api/openapi.json says of it. */
import type * as v from 'valibot';
import type { Access } from '../gate/passage.ts';
import type { Handler, Route } from '../http/http.ts';

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

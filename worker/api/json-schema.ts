/** The one doorway to the library that writes our schemas as JSON Schema. */
import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';

export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * `input`: what a caller may send, before defaults are filled in. What JSON Schema cannot say (that a text becomes a
 * number) is left out: the checks before it are said.
 */
export function jsonSchema(schema: v.GenericSchema, side: 'input' | 'output' = 'output'): JsonSchema {
  const { $schema: _, ...written } = toJsonSchema(schema, {
    typeMode: side,
    errorMode: 'ignore',
    target: 'draft-2020-12',
  });
  return written as JsonSchema;
}

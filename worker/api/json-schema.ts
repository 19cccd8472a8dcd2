/** Converts our schemas to JSON Schema. Only this file imports the conversion library. */
import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';

export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * `input` describes what a caller may send, before defaults are filled in. JSON Schema cannot express transformations,
 * such as text to number; only the checks before a transformation are written.
 */
export function jsonSchema(schema: v.GenericSchema, side: 'input' | 'output' = 'output'): JsonSchema {
  const { $schema: _, ...written } = toJsonSchema(schema, {
    typeMode: side,
    errorMode: 'ignore',
    target: 'draft-2020-12',
  });
  return written as JsonSchema;
}

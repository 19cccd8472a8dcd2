/** Converts the schemas of tools to JSON Schema, which is what an MCP client reads. */
import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';

/** A JSON Schema of an object; tools take and answer nothing else. */
export interface ObjectSchema {
  readonly type: 'object';
  readonly [keyword: string]: unknown;
}

export function objectSchema(schema: v.GenericSchema, side: 'input' | 'output'): ObjectSchema {
  const { $schema: _, ...written } = toJsonSchema(schema, { typeMode: side, errorMode: 'ignore' });
  return written as ObjectSchema;
}

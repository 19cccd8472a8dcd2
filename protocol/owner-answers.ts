/** What the relay answers to its owner and to a machine that joins, as the command line and the page read it. */
import * as v from 'valibot';
import { FLEET_MACHINES_MAX } from './limits.ts';
import { printable } from './printable.ts';
import { WORKSPACE_NAME } from './token.ts';

/** Codes and tokens become part of a link or of a line to paste, so they contain nothing that a shell could read. */
const codeSchema = v.object({ code: v.pipe(v.string(), v.regex(/^[\w.!-]{20,1024}$/)) });
const tokenSchema = v.object({ token: v.pipe(v.string(), v.regex(/^[\w.-]{20,4096}$/)) });
const joinedSchema = v.object({
  ...tokenSchema.entries,
  workspace: v.pipe(v.string(), v.regex(WORKSPACE_NAME)),
});

const machineSchema = v.object({
  name: v.pipe(v.string(), v.regex(WORKSPACE_NAME)),
  fingerprint: v.pipe(
    v.string(),
    v.maxLength(128),
    v.transform((text) => printable(text)),
  ),
  joinedAt: v.pipe(v.string(), v.isoTimestamp()),
});
const machinesSchema = v.object({
  machines: v.pipe(v.array(machineSchema), v.maxLength(FLEET_MACHINES_MAX)),
});

/** A machine that has joined. `joinedAt`: ISO 8601. */
export type JoinedMachine = v.InferOutput<typeof machineSchema>;

/** Each is null for anything else. */
export const readCode = (answer: unknown): string | null => read(codeSchema, answer)?.code ?? null;
export const readToken = (answer: unknown): string | null => read(tokenSchema, answer)?.token ?? null;
export const readJoined = (answer: unknown): v.InferOutput<typeof joinedSchema> | null =>
  read(joinedSchema, answer);
export const readMachines = (answer: unknown): readonly JoinedMachine[] | null =>
  read(machinesSchema, answer)?.machines ?? null;

function read<T>(schema: v.GenericSchema<unknown, T>, answer: unknown): T | null {
  const result = v.safeParse(schema, answer);
  return result.success ? result.output : null;
}

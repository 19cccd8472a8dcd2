/** What the relay answers to its owner and to a machine that joins, as the command line and the page read it. */
import * as v from 'valibot';
import { AGENT_VERSION_MAX_CHARS, FLEET_MACHINES_MAX, MACHINE_LABEL_MAX_CHARS } from './limits.ts';
import { printable } from './printable.ts';
import { WORKSPACE_NAME } from './token.ts';

/** Codes and tokens become part of a link or of a line to paste, so they contain nothing that a shell could read. */
const codeSchema = v.object({ code: v.pipe(v.string(), v.regex(/^[\w.!-]{20,1024}$/)) });
const tokenSchema = v.object({ token: v.pipe(v.string(), v.regex(/^[\w.-]{20,4096}$/)) });
const joinedSchema = v.object({
  ...tokenSchema.entries,
  workspace: v.pipe(v.string(), v.regex(WORKSPACE_NAME)),
});

const shownText = (maxChars: number) =>
  v.pipe(
    v.string(),
    v.maxLength(128),
    v.transform((text) => printable(text, maxChars)),
  );
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const time = v.pipe(v.string(), v.isoTimestamp());

const attentionSummarySchema = v.object({
  /** The most urgent reason: `asks`, then `failed`, then `done`. */
  state: v.picklist(['asks', 'failed', 'done']),
  /** How many sessions want attention, for whatever reason. */
  count: v.pipe(count, v.minValue(1)),
});
export type AttentionSummary = v.InferOutput<typeof attentionSummarySchema>;

/** A relay of an earlier version tells only the first three. Times are ISO 8601. */
const machineSchema = v.object({
  name: v.pipe(v.string(), v.regex(WORKSPACE_NAME)),
  /** Of its key; null if it did not join by an invite. */
  fingerprint: v.nullable(shownText(128)),
  joinedAt: v.nullable(time),
  /** What the owner calls it; null if it is called by its name. */
  displayName: v.optional(v.nullable(shownText(MACHINE_LABEL_MAX_CHARS)), null),
  /** `invite`: it has joined. `token`: somebody gave it a token, as `holdfast up` does for its own machine. */
  origin: v.optional(v.picklist(['invite', 'token']), 'invite'),
  /** `unknown`: it has not connected since it joined. */
  state: v.optional(v.picklist(['online', 'offline', 'unknown']), 'unknown'),
  /** Since when it is online or offline. */
  since: v.optional(v.nullable(time), null),
  lastSeen: v.optional(v.nullable(time), null),
  /** Running ones. */
  sessions: v.optional(count, 0),
  attention: v.optional(v.nullable(attentionSummarySchema), null),
  version: v.optional(v.nullable(shownText(AGENT_VERSION_MAX_CHARS)), null),
});
const machinesSchema = v.object({
  machines: v.pipe(v.array(machineSchema), v.maxLength(FLEET_MACHINES_MAX)),
});

/** A machine in the owner's list. */
export type FleetMachine = v.InferOutput<typeof machineSchema>;

/** Each is null for anything else. */
export const readCode = (answer: unknown): string | null => read(codeSchema, answer)?.code ?? null;
export const readToken = (answer: unknown): string | null => read(tokenSchema, answer)?.token ?? null;
export const readJoined = (answer: unknown): v.InferOutput<typeof joinedSchema> | null =>
  read(joinedSchema, answer);
export const readMachines = (answer: unknown): readonly FleetMachine[] | null =>
  read(machinesSchema, answer)?.machines ?? null;
export const readMachine = (answer: unknown): FleetMachine | null => read(machineSchema, answer);

function read<T>(schema: v.GenericSchema<unknown, T>, answer: unknown): T | null {
  const result = v.safeParse(schema, answer);
  return result.success ? result.output : null;
}

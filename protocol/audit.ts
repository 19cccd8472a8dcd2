/** What the audit trail tells: the shape of its entries over HTTP. Rules AU1 to AU7. */
import * as v from 'valibot';
import { roleSchema } from './messages.ts';
import { printable } from './printable.ts';

/** What is recorded. The names are part of the HTTP API. */
export const AUDIT_ACTIONS = [
  'attached', // a client attached to a session; `detail` is `snapshot` when it took one of it instead
  'left', // it detached, or its connection ended
  'typed', // it sent input to a session
  'took_over', // it asked for the terminal to have its window's size
  'created', // it had a session made
  'close_asked', // it asked for a session to be closed later
  'closed', // a session is closed because somebody asked for it
  'ended', // a rule ended a session: `detail` names it
  'renamed', // it renamed a session: `detail` is the new name
  'revoked', // it revoked tokens: `detail` says which
  'revocation_undone', // it took a revocation back
  'agent_connected', // an agent connected: `detail` says whether it replaced another
  'agent_key_pinned', // the workspace knows its agent by a key from now on
  'agent_key_reset', // somebody had that key forgotten
  'refused', // the workspace refused something: `detail` is the reason
] as const;
const auditAction = v.picklist(AUDIT_ACTIONS);
export type AuditAction = v.InferOutput<typeof auditAction>;

/**
 * What kind of program was connected. `page` came with the page's cookie or a ticket, `api` and `terminal` are the Worker's own
 * sockets; `cli` is what the command line says of itself, and `client` everything else that brought a token.
 */
export const clientKindSchema = v.picklist(['page', 'cli', 'api', 'terminal', 'client', 'agent']);
export type ClientKind = v.InferOutput<typeof clientKindSchema>;

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const time = v.pipe(v.string(), v.isoTimestamp());

const whoSchema = v.object({
  name: v.nullable(v.pipe(v.string(), v.description("The token's `sub`, made printable."))),
  tokenId: v.pipe(v.string(), v.description("The token's `jti`.")),
  role: roleSchema,
  client: clientKindSchema,
});

const auditEntrySchema = v.object({
  id: v.pipe(count, v.minValue(1), v.description('Grows with time; `before` continues below it.')),
  at: v.pipe(time, v.description('When it happened first.')),
  until: v.pipe(time, v.description('When it happened last, of those that are counted together.')),
  action: auditAction,
  who: v.nullable(v.pipe(whoSchema, v.description('Null when nobody did it, or nobody knows who.'))),
  session: v.nullable(v.string()),
  count: v.pipe(count, v.minValue(1), v.description('At least this often; exact when it is small.')),
  detail: v.nullable(v.string()),
});
export type AuditEntry = v.InferOutput<typeof auditEntrySchema>;

export const auditPageSchema = v.object({
  entries: v.pipe(v.array(auditEntrySchema), v.description('Newest first.')),
  more: v.pipe(v.boolean(), v.description('Whether there are older ones that fit the question.')),
});
export type AuditPage = v.InferOutput<typeof auditPageSchema>;

/** As a reader takes it: a newer relay may know actions and kinds of clients that this build does not. */
const readEntrySchema = v.object({
  ...auditEntrySchema.entries,
  action: v.string(),
  who: v.nullable(v.object({ ...whoSchema.entries, role: v.string(), client: v.string() })),
});
const readPageSchema = v.object({ entries: v.array(readEntrySchema), more: v.boolean() });
export type ReadAuditEntry = v.InferOutput<typeof readEntrySchema>;
export type ReadAuditPage = v.InferOutput<typeof readPageSchema>;

/** Null for what is no page of an audit trail. */
export function readAuditPage(value: unknown): ReadAuditPage | null {
  const result = v.safeParse(readPageSchema, value);
  return result.success ? result.output : null;
}

/** Of a token's id, what is shown where it has no name. */
const SHORT_TOKEN_ID_CHARS = 8;

/** What people see: a name, or "token abcd1234" for a token without one. */
export function displayName(who: {
  readonly name?: string | null | undefined;
  readonly tokenId: string;
}): string {
  return printable(who.name ?? '') || `token ${printable(who.tokenId).slice(0, SHORT_TOKEN_ID_CHARS)}`;
}

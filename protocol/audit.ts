/** The format of audit trail entries in the HTTP API. Rules AU1 to AU7. */
import * as v from 'valibot';
import { printable } from './printable.ts';
import { roleSchema } from './roles.ts';

/** The recorded actions. Their names are part of the HTTP API. */
export const AUDIT_ACTIONS = [
  'attached', // a client attached to a session; `detail` says what it took instead: `snapshot`, `commands`, `digest`
  'left', // a client detached, or its connection ended
  'typed', // a client sent input to a session
  'signalled', // a client sent a signal to the program in the foreground: `detail` is its name
  'took_over', // a client made the terminal take its window's size
  'created', // a client created a session
  'close_asked', // a client asked for a session to be closed later
  'closed', // a session was closed because somebody asked for it
  'ended', // a rule ended a session: `detail` names the rule
  'renamed', // a client renamed a session: `detail` is the new name
  'revoked', // somebody revoked tokens: `detail` says which
  'revocation_undone', // somebody undid a revocation
  'link_made', // somebody made a share link: `detail` is its role and label
  'link_used', // somebody logged in with a share link
  'link_revoked', // somebody revoked a share link
  'agent_connected', // an agent connected: `detail` says whether it replaced another
  'agent_key_pinned', // the workspace stored its agent's key
  'agent_key_reset', // somebody removed the stored key
  'refused', // the workspace refused something: `detail` is the reason
] as const;
const auditAction = v.picklist(AUDIT_ACTIONS);
export type AuditAction = v.InferOutput<typeof auditAction>;

/**
 * The kind of connected program. `page` used the page cookie or a ticket; `api` and `terminal` are the Worker's own
 * sockets; `cli` is what the command line calls itself; `client` is anything else with a token.
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
  id: v.pipe(
    count,
    v.minValue(1),
    v.description('Increases with time; pass it as `before` to get older entries.'),
  ),
  at: v.pipe(time, v.description('When the first counted event happened.')),
  until: v.pipe(time, v.description('When the last counted event happened.')),
  action: auditAction,
  who: v.nullable(v.pipe(whoSchema, v.description('Null if no person did it, or it is not known who.'))),
  session: v.nullable(v.string()),
  count: v.pipe(
    count,
    v.minValue(1),
    v.description('How many events this entry counts, at least; exact if small.'),
  ),
  detail: v.nullable(v.string()),
});
export type AuditEntry = v.InferOutput<typeof auditEntrySchema>;

export const auditPageSchema = v.object({
  entries: v.pipe(v.array(auditEntrySchema), v.description('Newest first.')),
  more: v.pipe(v.boolean(), v.description('Whether there are older entries that match.')),
});
export type AuditPage = v.InferOutput<typeof auditPageSchema>;

/** The schema for readers: a newer relay may send actions and client kinds that this build does not know. */
const readEntrySchema = v.object({
  ...auditEntrySchema.entries,
  action: v.string(),
  who: v.nullable(v.object({ ...whoSchema.entries, role: v.string(), client: v.string() })),
});
const readPageSchema = v.object({ entries: v.array(readEntrySchema), more: v.boolean() });
export type ReadAuditEntry = v.InferOutput<typeof readEntrySchema>;
export type ReadAuditPage = v.InferOutput<typeof readPageSchema>;

/** Null when `value` is not a page of an audit trail. */
export function readAuditPage(value: unknown): ReadAuditPage | null {
  const result = v.safeParse(readPageSchema, value);
  return result.success ? result.output : null;
}

/** How much of a token's id is shown when it has no name. */
const SHORT_TOKEN_ID_CHARS = 8;

/** The name that people see: the token's name, or "token abcd1234" for a token without one. */
export function displayName(who: {
  readonly name?: string | null | undefined;
  readonly tokenId: string;
}): string {
  return printable(who.name ?? '') || `token ${printable(who.tokenId).slice(0, SHORT_TOKEN_ID_CHARS)}`;
}

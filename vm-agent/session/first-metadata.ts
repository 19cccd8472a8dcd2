/** What is stored about a session when this agent process begins with it. */
import type { SavedAttention, SessionMetadata } from '../disk/metadata.ts';
import type { SpawnSpec } from '../pty/pty.ts';
import type { AdoptedSession, SessionIdentity } from './session-options.ts';

interface Begun {
  readonly createdAt: Date;
  /** The session's position in the list. */
  readonly place: number;
  /** The session that this one replaces. */
  readonly replaces?: string | undefined;
  readonly adopted?: AdoptedSession | undefined;
}

function nothingSeenSince(offset: number): SavedAttention {
  return { current: null, noticesTo: offset, commandsTo: offset };
}

export function firstMetadata(
  { key, name, widths, marksNonce, graceMs }: SessionIdentity,
  spec: SpawnSpec,
  { createdAt, place, replaces, adopted }: Begun,
): SessionMetadata {
  return {
    ...(graceMs === undefined ? {} : { graceMs }),
    ...spec,
    name,
    key,
    place,
    ...(replaces === undefined ? {} : { replaces }),
    widths,
    marksNonce,
    createdAt: createdAt.toISOString(),
    exit: null,
    title: adopted?.title ?? null,
    attention: adopted?.attention ?? nothingSeenSince(adopted?.end ?? 0),
  };
}

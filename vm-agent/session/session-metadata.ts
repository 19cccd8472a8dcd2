/** What is stored about a new or adopted session. Pure. */
import type { SavedAttention, SessionMetadata } from '../disk/metadata.ts';
import type { SpawnSpec } from '../pty/pty.ts';
import type { SessionIdentity, SessionOptions } from './session-options.ts';

type Origin = Pick<SessionOptions<unknown>, 'adopted' | 'place' | 'replaces'> & { readonly createdAt: Date };

function nothingSeenSince(offset: number): SavedAttention {
  return { current: null, noticesTo: offset, commandsTo: offset };
}

export function metadataOf(
  { key, name, widths, marksNonce, graceMs }: SessionIdentity,
  spec: SpawnSpec,
  { adopted, createdAt, place, replaces }: Origin,
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

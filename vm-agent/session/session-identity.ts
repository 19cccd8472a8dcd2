/** What stays the same about a session: made for a new one, or taken over from an earlier agent process. Pure. */
import { printable } from '../../protocol/printable.ts';
import { CLUSTERS } from '../../protocol/terminal/width/width-model.ts';
import type { SessionMetadata } from '../disk/metadata.ts';
import { newId } from './ids.ts';
import type { SessionIdentity } from './session-options.ts';
import type { SessionDefaults, SessionRequest } from './session-request.ts';

type Ids = Pick<SessionIdentity, 'id' | 'handle' | 'epoch'>;

export function newIdentity(
  ids: Ids,
  { name, widths }: Pick<SessionIdentity, 'name'> & Pick<SessionDefaults, 'widths'>,
  request: SessionRequest,
): SessionIdentity {
  return {
    ...ids,
    key: printable(request.key ?? '') || null,
    name,
    marksNonce: request.marksNonce ?? newId(),
    widths: request.widths ?? widths ?? CLUSTERS.version,
    ...(request.graceMs === undefined ? {} : { graceMs: request.graceMs }),
  };
}

export function adoptedIdentity(
  ids: Ids,
  { key, name, graceMs, widths = CLUSTERS.version, marksNonce = newId() }: SessionMetadata,
): SessionIdentity {
  return { ...ids, key, name, marksNonce, widths, ...(graceMs === undefined ? {} : { graceMs }) };
}

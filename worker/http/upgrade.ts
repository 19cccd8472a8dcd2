/** Forwards an authenticated upgrade request to the workspace's object. */
import { AGENT_KEY_HEADER } from '../../protocol/agent-key.ts';
import { CLOSE, closeSentence } from '../../protocol/close-codes.ts';
import { judgeOffer, SUBPROTOCOL } from '../../protocol/version.ts';
import { passOffer, readOffer } from '../gate/agent-offer.ts';
import { passCaller } from '../gate/caller.ts';
import { requestPace } from '../metering/request-pace.ts';
import { isUpgrade } from '../platform/is-upgrade.ts';
import { askerOf, failure, type Handler, workspaceOf } from './http.ts';
import { turnAway } from './turn-away.ts';

/** A machine that has joined: its token is worth nothing to others. [AK9] */
const OTHER_KEY =
  'This token belongs to the machine that joined with it, and works with its key only. Join again with a new invite.';

export const upgrade: Handler = async (c) => {
  if (!isUpgrade(c.req.raw))
    return failure(c, 426, 'upgrade_required', 'This address takes WebSocket connections only.');
  const { caller, claims, workspace } = c.var.principal;
  const offer = judgeOffer(c.req.header('Sec-WebSocket-Protocol') ?? null);
  if (offer.kind === 'none') {
    return failure(c, 426, 'version_missing', `Offer the WebSocket subprotocol ${SUBPROTOCOL}.`);
  }
  if (offer.kind === 'unknown') {
    const why = closeSentence(CLOSE.versionUnsupported);
    return turnAway(workspace, offer.subprotocol, CLOSE.versionUnsupported, why, () =>
      failure(c, 426, 'version_missing', why),
    );
  }
  const key =
    caller.role === 'agent'
      ? await readOffer(c.req.header(AGENT_KEY_HEADER), workspace, claims.repin === true)
      : undefined;
  if (claims.key !== undefined && key?.key !== claims.key)
    return failure(c, 403, 'agent_key_refused', OTHER_KEY);
  if (key === null) return failure(c, 400, 'bad_request', `${AGENT_KEY_HEADER} holds no X25519 public key.`);
  const answer = await workspaceOf(c).fetch(
    // Built from scratch: nothing from the caller reaches the object except what the gate has read.
    new Request(new URL('/', c.req.url), {
      headers: {
        Upgrade: 'websocket',
        'Sec-WebSocket-Protocol': offer.subprotocol,
        ...passCaller(caller.role === 'agent' ? { ...caller, workspace } : caller),
        ...(key === undefined ? {} : passOffer(key)),
      },
    }),
  );
  if (answer.status === 101) {
    // Not for refused ones, so that the thief of a token without the key does not keep the true agent out.
    if (caller.role === 'agent') requestPace.charge(askerOf(c.var.principal), { agents: 1 }, Date.now());
    return answer;
  }
  // The Worker closes the socket itself. If the object accepted it, even only to close it, the object could not
  // hibernate.
  const why = await answer.text();
  if (answer.status === 429)
    return turnAway(workspace, offer.subprotocol, CLOSE.tooMany, why, () =>
      failure(c, 429, 'too_many_clients', why),
    );
  if (answer.status === 403) return failure(c, 403, 'agent_key_refused', why);
  if (answer.status !== 401) throw new Error(`the workspace answered ${answer.status}`);
  const unauthorized = () => failure(c, 401, 'unauthorized', why);
  return caller.isPage
    ? turnAway(workspace, offer.subprotocol, CLOSE.unauthorized, why, unauthorized)
    : unauthorized();
};

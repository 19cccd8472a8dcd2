/** From an admitted request to a socket at the workspace's object. */
import { CLOSE, closeSentence } from '../protocol/close-codes.ts';
import { judgeOffer, SUBPROTOCOL } from '../protocol/version.ts';
import { isUpgrade } from './gate.ts';
import { failure, type Handler } from './http.ts';
import { passPrincipal } from './principal-header.ts';

export const upgrade: Handler = (c) => {
  if (!isUpgrade(c.req.raw))
    return failure(c, 426, 'upgrade_required', 'This address speaks WebSocket only.');
  const offer = judgeOffer(c.req.header('Sec-WebSocket-Protocol') ?? null);
  if (offer.kind === 'none') {
    return failure(c, 426, 'version_missing', `Offer the WebSocket subprotocol ${SUBPROTOCOL}.`);
  }
  if (offer.kind === 'unknown') return refuseVersion(offer.subprotocol);
  const workspace = c.env.WORKSPACE.getByName(c.var.principal.workspace);
  return workspace.fetch(
    new Request(c.req.url, {
      headers: {
        Upgrade: 'websocket',
        'Sec-WebSocket-Protocol': offer.subprotocol,
        ...passPrincipal(c.var.principal),
      },
    }),
  );
};

/** A browser can read a close code but not the status of a failed upgrade, so it is let in to be told. */
function refuseVersion(subprotocol: string): Response {
  const { 0: theirs, 1: ours } = new WebSocketPair();
  ours.accept();
  ours.close(CLOSE.versionUnsupported, closeSentence(CLOSE.versionUnsupported));
  return new Response(null, {
    status: 101,
    webSocket: theirs,
    headers: { 'Sec-WebSocket-Protocol': subprotocol },
  });
}

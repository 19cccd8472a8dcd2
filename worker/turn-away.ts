/** A browser can read a close code but not the status of a failed upgrade, so it is let in to be told. */
import { closeReason } from '../protocol/close-codes.ts';

/** `subprotocol`: one that was offered, or none when none was. */
export function turnAway(subprotocol: string, code: number, sentence: string): Response {
  const { 0: theirs, 1: ours } = new WebSocketPair();
  ours.accept();
  ours.close(code, closeReason(sentence));
  return new Response(null, {
    status: 101,
    webSocket: theirs,
    headers: subprotocol === '' ? {} : { 'Sec-WebSocket-Protocol': subprotocol },
  });
}

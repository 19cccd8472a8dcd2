/** The two ends of a terminal's socket in single-terminal mode: with an object between them where there is one (terminal-inlet.ts). */
import type { Env } from '../../http/env.ts';

export interface TerminalPair {
  readonly theirs: WebSocket;
  readonly ours: WebSocket;
}

/** `owner`: whose terminals take their turns together. */
export async function terminalPair(env: Env, owner: string): Promise<TerminalPair> {
  if (env.TERMINAL_INLET === undefined) {
    const { 0: theirs, 1: ours } = new WebSocketPair();
    return { theirs, ours };
  }
  const inlet = env.TERMINAL_INLET.getByName(owner);
  const terminal = crypto.randomUUID();
  const connect = async (side: 'inside' | 'outside'): Promise<WebSocket> => {
    const headers = { Upgrade: 'websocket' };
    const { webSocket } = await inlet.fetch(`http://inlet/${side}/${terminal}`, { headers });
    if (webSocket === null) throw new Error('invariant: the inlet has answered without a socket');
    return webSocket;
  };
  const ours = await connect('inside');
  return { ours, theirs: await connect('outside') };
}

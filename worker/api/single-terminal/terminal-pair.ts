/** The two ends of a terminal's socket in single-terminal mode: with an object between them where there is one (terminal-inlet.ts). */
import { TERMINAL_INLETS_MAX } from '../../../protocol/limits.ts';
import type { Env } from '../../http/env.ts';
import { type Owner, ownerKey } from '../../peers/owner.ts';

interface TerminalPair {
  readonly theirs: WebSocket;
  readonly ours: WebSocket;
}

/** `owner`: whose terminals take their turns together. */
export async function terminalPair(env: Env, workspace: string, owner: Owner): Promise<TerminalPair> {
  if (env.TERMINAL_INLET === undefined) {
    const { 0: theirs, 1: ours } = new WebSocketPair();
    return { theirs, ours };
  }
  const inlet = env.TERMINAL_INLET.getByName(inletName(workspace, owner));
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

/**
 * Tokens come and go, and workerd keeps a file for every name that an object ever had. So each of the workspace's tokens has
 * one of a few names, always the same; two of them may take their turns together.
 */
export function inletName(workspace: string, owner: Owner): string {
  // FNV-1a: spreads well, and at once.
  let hash = 0x811c9dc5;
  for (const char of new TextEncoder().encode(ownerKey(owner))) hash = Math.imul(hash ^ char, 0x01000193);
  return `${workspace} ${(hash >>> 0) % TERMINAL_INLETS_MAX}`;
}

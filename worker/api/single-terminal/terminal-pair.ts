/**
 * Creates the two ends of a `/terminal/ws` socket. On a self-hosted relay a Durable Object sits between them
 * (terminal-inlet.ts).
 */
import { TERMINAL_INLETS_MAX } from '../../../protocol/limits.ts';
import type { Env } from '../../http/env.ts';
import { type Owner, ownerKey } from '../../peers/owner.ts';

interface TerminalPair {
  readonly theirs: WebSocket;
  readonly ours: WebSocket;
}

/** `owner`: the token whose terminals share one object. */
export async function terminalPair(env: Env, workspace: string, owner: Owner): Promise<TerminalPair> {
  if (env.TERMINAL_INLET === undefined) {
    const { 0: theirs, 1: ours } = new WebSocketPair();
    return { theirs, ours };
  }
  const inlet = env.TERMINAL_INLET.getByName(inletName(workspace, owner));
  const terminal = crypto.randomUUID();
  const connect = async (side: 'inside' | 'outside'): Promise<WebSocket> => {
    const headers = { Upgrade: 'websocket' };
    const { webSocket } = await inlet.fetch(`http://inlet/${side}/${terminal}/${workspace}`, { headers });
    if (webSocket === null) throw new Error('invariant: the inlet has answered without a socket');
    return webSocket;
  };
  const ours = await connect('inside');
  return { ours, theirs: await connect('outside') };
}

/**
 * workerd keeps a file for every object name ever used, and tokens come and go. So each token of a workspace is mapped
 * to one of a few names, always the same one; two tokens may share a name.
 */
export function inletName(workspace: string, owner: Owner): string {
  // FNV-1a: synchronous, and distributes well.
  let hash = 0x811c9dc5;
  for (const char of new TextEncoder().encode(ownerKey(owner))) hash = Math.imul(hash ^ char, 0x01000193);
  return `${workspace} ${(hash >>> 0) % TERMINAL_INLETS_MAX}`;
}

/**
 * Who types by these commands, over several connections: a user of a machine. So what `send` types answers what a command
 * of `run` asks, although an assistant has the keyboard then.
 */
import { createHash } from 'node:crypto';
import { hostname, userInfo } from 'node:os';

export function thisUser(): string {
  return createHash('sha256').update(`holder\n${hostname()}\n${userInfo().uid}`).digest('base64url');
}

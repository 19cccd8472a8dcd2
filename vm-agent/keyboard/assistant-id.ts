/** How an assistant is known over several connections: by the `holder` that it sends, apart from ids of connections. */
import { createHash } from 'node:crypto';

export function assistantId(holder: string): string {
  return createHash('sha256').update(holder).digest('base64url');
}

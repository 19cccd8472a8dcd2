/** Requests of a token to the HTTP API of a workspace. */
import type { TestRelay } from '../../support/test-relay.ts';

export const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

export const jtiOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).jti;

/** To `usual()`, unless another relay is named. */
export function requestsTo(usual: () => TestRelay) {
  const at = (path: string, on = usual()) => new URL(`/api/workspaces/${on.workspace}${path}`, on.url);
  const post = (path: string, headers: Record<string, string>, body: unknown = {}, on = usual()) =>
    fetch(at(path, on), { method: 'POST', headers, body: JSON.stringify(body) });
  const status = async (token: string, on = usual()) =>
    (await fetch(at('/health', on), { headers: bearer(token) })).status;
  return { at, post, status };
}

/**
 * Like `fetch`, on a connection of its own. One that is kept may be closed by the relay while this process is busy, and
 * the next request on it would fail.
 */
export function fetchOnce(
  url: URL,
  init: RequestInit & { headers?: Record<string, string> } = {},
): Promise<Response> {
  return fetch(url, { ...init, headers: { Connection: 'close', ...init.headers } });
}

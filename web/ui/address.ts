/** What the page's own address says: which workspace, and perhaps a token. */
import { WORKSPACE_NAME } from '../../protocol/token.ts';

/** The workspace of `/w/:workspace`; null when no workspace can have that address. */
export function workspaceOf(pathname: string): string | null {
  const name = /^\/w\/([^/]+)\/?$/.exec(pathname)?.[1];
  return name !== undefined && WORKSPACE_NAME.test(name) ? name : null;
}

/** The token of `#token=…`; null when there is none. */
export function tokenOf(hash: string): string | null {
  return new URLSearchParams(hash.replace(/^#/, '')).get('token') || null;
}

/** The same address without its fragment: a token must not stay in the address bar or in the history. */
export function withoutFragment(address: { readonly pathname: string; readonly search: string }): string {
  return address.pathname + address.search;
}

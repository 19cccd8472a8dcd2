/** Parses the page's URL: the workspace, and a token or ticket if there is one. */
import { WORKSPACE_NAME } from '../../../protocol/token.ts';

/** The workspace in `/w/:workspace`; null when it is not a valid workspace name. */
export function workspaceOfPage(pathname: string): string | null {
  const name = /^\/w\/([^/]+)\/?$/.exec(pathname)?.[1];
  return name !== undefined && WORKSPACE_NAME.test(name) ? name : null;
}

/** The credential in the fragment, formatted as an `Authorization` header; null when there is none. */
export function credentialOf(hash: string): string | null {
  const fragment = new URLSearchParams(hash.replace(/^#/, ''));
  const token = fragment.get('token');
  if (token) return `Bearer ${token}`;
  const ticket = fragment.get('ticket');
  return ticket ? `Ticket ${ticket}` : null;
}

/** The URL without its fragment: a credential must not stay in the address bar or the history. */
export function withoutFragment(address: { readonly pathname: string; readonly search: string }): string {
  return address.pathname + address.search;
}

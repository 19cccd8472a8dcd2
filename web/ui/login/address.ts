/** What the page's own address says: which workspace, and perhaps a token or a ticket. */
import { WORKSPACE_NAME } from '../../../protocol/token.ts';

/** The workspace of `/w/:workspace`; null when no workspace can have that address. */
export function workspaceOfPage(pathname: string): string | null {
  const name = /^\/w\/([^/]+)\/?$/.exec(pathname)?.[1];
  return name !== undefined && WORKSPACE_NAME.test(name) ? name : null;
}

/** What the fragment lets in with, as an `Authorization` header says it; null when there is nothing. */
export function credentialOf(hash: string): string | null {
  const fragment = new URLSearchParams(hash.replace(/^#/, ''));
  const token = fragment.get('token');
  if (token) return `Bearer ${token}`;
  const ticket = fragment.get('ticket');
  return ticket ? `Ticket ${ticket}` : null;
}

/** The same address without its fragment: a credential must not stay in the address bar or in the history. */
export function withoutFragment(address: { readonly pathname: string; readonly search: string }): string {
  return address.pathname + address.search;
}

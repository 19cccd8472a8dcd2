/** Parses the page's URL: the workspace, and a token, ticket, code or share link if there is one, or the owner's code. */
import { WORKSPACE_NAME } from '../../../protocol/token.ts';

/** The workspace in `/w/:workspace`; null when it is not a valid workspace name. */
export function workspaceOfPage(pathname: string): string | null {
  const name = /^\/w\/([^/]+)\/?$/.exec(pathname)?.[1];
  return name !== undefined && WORKSPACE_NAME.test(name) ? name : null;
}

/** The scheme of `Authorization` for each parameter that may be in a fragment; the first one found counts. */
const SCHEMES = { token: 'Bearer', ticket: 'Ticket', code: 'Code', share: 'Share' } as const;

/** A header takes no other characters, and no credential has them. */
const PRINTABLE = /^[!-~]+$/;

/** The credential in the fragment, formatted as an `Authorization` header; null when there is none. */
export function credentialOf(hash: string): string | null {
  const fragment = new URLSearchParams(hash.replace(/^#/, ''));
  for (const [name, scheme] of Object.entries(SCHEMES)) {
    const value = fragment.get(name);
    if (value) return PRINTABLE.test(value) ? `${scheme} ${value}` : null;
  }
  return null;
}

/** As the link with this token has it. */
export function credentialOfToken(token: string): string {
  return `${SCHEMES.token} ${token}`;
}

/** The credential in the fragment of the owner's link, as `credentialOf`. It is for the relay, not for a workspace. */
export function ownerCredentialOf(hash: string): string | null {
  const code = new URLSearchParams(hash.replace(/^#/, '')).get('owner');
  return code && PRINTABLE.test(code) ? `Link ${code}` : null;
}

/** Whether the credential is a code, which another device of the same person has shown. */
export function isCode(credential: string): boolean {
  return credential.startsWith(`${SCHEMES.code} `);
}

/** The address at which another browser logs in with this code. A server never sees what is behind the `#`. */
export function linkOfCode(relay: URL, workspace: string, code: string): string {
  return new URL(`/w/${workspace}#code=${code}`, relay).href;
}

/** The URL without its fragment: a credential must not stay in the address bar or the history. */
export function withoutFragment(address: { readonly pathname: string; readonly search: string }): string {
  return address.pathname + address.search;
}

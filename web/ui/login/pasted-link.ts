/** Parses a link that the user pastes into the page, as the address bar would. */
import { PASTED_LINK_MAX_CHARS } from '../../../protocol/limits.ts';
import { credentialOf, ownerCredentialOf, workspaceOfPage } from './address.ts';

export type PastedLink =
  | {
      readonly name: 'link';
      /** Null for the link of the relay's owner, which is accepted where a link to any workspace is. */
      readonly workspace: string | null;
      readonly credential: string;
      readonly href: string;
    }
  /** `sentence`: why the link cannot be used here. */
  | { readonly name: 'unusable'; readonly sentence: string };

export interface Here {
  readonly origin: string;
  /** Null where a link to any workspace is accepted. */
  readonly workspace: string | null;
}

export function readPastedLink(text: string, here: Here): PastedLink {
  const trimmed = text.trim();
  if (trimmed === '') return unusable('Paste the link first.');
  if (trimmed.length > PASTED_LINK_MAX_CHARS) return unusable('This text is too long for a link.');
  if (!URL.canParse(trimmed)) return unusable('This is not a link. It begins with https:// or http://.');
  const url = new URL(trimmed);
  if (url.origin !== here.origin)
    return unusable(`This link belongs to another relay, ${url.host}. Open it in the address bar.`);
  const ofOwner = url.pathname === '/' ? ownerCredentialOf(url.hash) : null;
  if (ofOwner !== null) return ownerLink(url, ofOwner, here);
  const workspace = workspaceOfPage(url.pathname);
  if (workspace === null) return unusable('This link does not lead to a workspace.');
  if (here.workspace !== null && workspace !== here.workspace)
    return unusable(`This link is for the workspace “${workspace}”. Open it in the address bar.`);
  const credential = credentialOf(url.hash);
  if (credential === null) return unusable('This link has no token or code: its end, from # on, is missing.');
  return { name: 'link', workspace, credential, href: url.pathname + url.search + url.hash };
}

function ownerLink(url: URL, credential: string, here: Here): PastedLink {
  if (here.workspace !== null)
    return unusable('This link is for the owner of the relay. Open it in the address bar.');
  return { name: 'link', workspace: null, credential, href: url.pathname + url.search + url.hash };
}

const unusable = (sentence: string): PastedLink => ({ name: 'unusable', sentence });

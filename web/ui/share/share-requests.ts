/**
 * What the page asks the relay about share links. A link is made with the key of this page's login: a stolen cookie must
 * not become a link elsewhere. Rule SL4.
 */
import {
  type MadeLink,
  readMadeLink,
  readShareLinks,
  type SharedLink,
  type WantedLink,
} from '../../../protocol/share-link.ts';
import { answerSentence, firstSentence, UNREACHABLE } from '../login/answer-sentence.ts';
import { askInTime, loginProof } from '../login/login-proof.ts';
import { loginStore } from '../login/login-store.ts';
import { loginAddress } from '../login/open-login.ts';

export type ShareAnswer<T> =
  | { readonly name: 'done'; readonly value: T }
  | { readonly name: 'failed'; readonly sentence: string };

const NO_KEY =
  'This browser has not kept the key of your login, which is needed for a link. Open your link to this workspace again, then come back here.';

export async function makeShareLink(workspace: string, wanted: WantedLink): Promise<ShareAnswer<MadeLink>> {
  const stored = await loginStore(workspace).read();
  if (stored === null) return { name: 'failed', sentence: NO_KEY };
  return asking(readMadeLink, async () => {
    const proof = await loginProof(loginAddress(new URL('/', location.href), workspace), stored);
    return ask(workspace, '', {
      method: 'POST',
      headers: { Authorization: proof },
      body: JSON.stringify(wanted),
    });
  });
}

export function listShareLinks(workspace: string): Promise<ShareAnswer<readonly SharedLink[]>> {
  return asking(readShareLinks, () => ask(workspace, '', {}));
}

export function revokeShareLink(workspace: string, id: string): Promise<ShareAnswer<true>> {
  return asking(
    () => true as const,
    () => ask(workspace, `/${encodeURIComponent(id)}`, { method: 'DELETE' }),
  );
}

const ask = (workspace: string, path: string, init: RequestInit) =>
  askInTime(new URL(`/api/workspaces/${workspace}/share-links${path}`, location.href), init);

/** Never throws. `read` returns null for what is no valid answer. */
async function asking<T>(
  read: (body: unknown) => T | null,
  send: () => Promise<Response>,
): Promise<ShareAnswer<T>> {
  try {
    const answer = await send();
    if (!answer.ok) return { name: 'failed', sentence: firstSentence(await answerSentence(answer)) };
    const value = read(await answer.json().catch(() => null));
    return value === null ? { name: 'failed', sentence: UNREADABLE } : { name: 'done', value };
  } catch {
    return { name: 'failed', sentence: UNREACHABLE };
  }
}

const UNREADABLE = 'The relay answered with something that this page cannot read. Reload the page.';

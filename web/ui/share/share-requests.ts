/**
 * What the page asks the relay about share links. A link is made with the key of this page's login: a stolen cookie must
 * not become a link elsewhere. Rule SL4.
 */
import * as v from 'valibot';
import {
  type MadeLink,
  madeLinkSchema,
  type SharedLink,
  shareLinksSchema,
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
  return asking(madeLinkSchema, async () => {
    const proof = await loginProof(loginAddress(new URL('/', location.href), workspace), stored);
    return ask(workspace, '', {
      method: 'POST',
      headers: { Authorization: proof },
      body: JSON.stringify(wanted),
    });
  });
}

export async function listShareLinks(workspace: string): Promise<ShareAnswer<readonly SharedLink[]>> {
  const answer = await asking(shareLinksSchema, () => ask(workspace, '', {}));
  return answer.name === 'done' ? { name: 'done', value: answer.value.links } : answer;
}

export function revokeShareLink(workspace: string, id: string): Promise<ShareAnswer<unknown>> {
  return asking(v.null(), () => ask(workspace, `/${encodeURIComponent(id)}`, { method: 'DELETE' }));
}

const ask = (workspace: string, path: string, init: RequestInit) =>
  askInTime(new URL(`/api/workspaces/${workspace}/share-links${path}`, location.href), init);

/** Never throws. An answer without content is null. */
async function asking<T>(
  schema: v.GenericSchema<unknown, T>,
  send: () => Promise<Response>,
): Promise<ShareAnswer<T>> {
  try {
    const answer = await send();
    if (!answer.ok) return { name: 'failed', sentence: firstSentence(await answerSentence(answer)) };
    const read = v.safeParse(schema, await answer.json().catch(() => null));
    return read.success ? { name: 'done', value: read.output } : { name: 'failed', sentence: UNREADABLE };
  } catch {
    return { name: 'failed', sentence: UNREACHABLE };
  }
}

const UNREADABLE = 'The relay answered with something that this page cannot read. Reload the page.';

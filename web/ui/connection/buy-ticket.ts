/** Exchanges an embedder's token for a ticket that a socket can carry. Rule GT7. */
import * as v from 'valibot';
import { CLOSE, closeCodeOfStatus } from '../../../protocol/close-codes.ts';

type Bought =
  | { readonly name: 'bought'; readonly ticket: string }
  /** `code` says as a close code would whether trying again can help. */
  | { readonly name: 'refused'; readonly code: number };

const ticketSchema = v.object({ ticket: v.string() });

export async function buyTicket(
  { relay, workspace }: { readonly relay: URL; readonly workspace: string },
  getToken: () => Promise<string>,
): Promise<Bought> {
  const answer = await fetch(new URL(`/api/workspaces/${workspace}/tickets`, relay), {
    method: 'POST',
    headers: { Authorization: `Bearer ${await getToken()}` },
  });
  if (!answer.ok) return { name: 'refused', code: closeCodeOfStatus(answer.status) };
  const ticket = v.safeParse(ticketSchema, await answer.json());
  return ticket.success
    ? { name: 'bought', ticket: ticket.output.ticket }
    : { name: 'refused', code: CLOSE.abnormal };
}

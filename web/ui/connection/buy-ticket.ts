/** Exchanges an embedder's token for a ticket, which a WebSocket can carry. Rule GT7. */
import * as v from 'valibot';
import { CLOSE, closeCodeOfStatus } from '../../../protocol/close-codes.ts';

type Bought =
  | { readonly name: 'bought'; readonly ticket: string }
  /** `code` is a close code and says whether trying again can help. */
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

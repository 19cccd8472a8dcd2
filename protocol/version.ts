/**
 * Protocol version negotiation: versions are named in `Sec-WebSocket-Protocol` and agreed on before the first frame.
 * Rule WF8.
 */
import { PROTOCOL_VERSION } from './limits.ts';

/** What a client or agent of this build offers. */
export const SUBPROTOCOL = `holdfast.${PROTOCOL_VERSION}`;

/** A build speaks its own version and the one before. */
const SPOKEN = [PROTOCOL_VERSION, PROTOCOL_VERSION - 1].filter((version) => version > 0);

export type Offer =
  | { readonly kind: 'none' }
  | { readonly kind: 'agreed'; readonly subprotocol: string }
  | { readonly kind: 'unknown'; readonly subprotocol: string };

/** Evaluates a Sec-WebSocket-Protocol header: the newest version that both sides speak wins. */
export function judgeOffer(header: string | null): Offer {
  const offered = (header ?? '').split(',').map((name) => name.trim());
  const ours = offered.filter((name) => /^holdfast\.\d+$/.test(name));
  const agreed = SPOKEN.map((version) => `holdfast.${version}`).find((name) => ours.includes(name));
  if (agreed !== undefined) return { kind: 'agreed', subprotocol: agreed };
  const [unknown] = ours;
  return unknown === undefined ? { kind: 'none' } : { kind: 'unknown', subprotocol: unknown };
}

/** A browser cannot set headers on a WebSocket, so a ticket is sent as one of the offered subprotocols. */
const TICKET_PREFIX = 'holdfast.ticket.';

export function ticketOffer(ticket: string): string {
  return TICKET_PREFIX + ticket;
}

/** The ticket among the offered subprotocols; null when there is none. */
export function ticketIn(header: string | null): string | null {
  const offered = (header ?? '').split(',').map((name) => name.trim());
  return offered.find((name) => name.startsWith(TICKET_PREFIX))?.slice(TICKET_PREFIX.length) || null;
}

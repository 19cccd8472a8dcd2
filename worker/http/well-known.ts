/** What programs look for at fixed addresses: whom to tell of a weakness (RFC 9116), and that nothing here is for search engines. */

import { ownAddress } from '../gate/own-address.ts';
import { gateSettings } from './env.ts';
import { failure, type Handler } from './http.ts';

/** The setting is in force as long as the relay is asked; RFC 9116 wants less than a year. */
const VOUCHED_FOR_MS = 180 * 24 * 3_600_000;

/** Whoever runs the relay is who to tell; without the setting there is nobody to name. */
export const securityTxt: Handler = (c) => {
  const contact = readContact(c.env.RELAY_SECURITY_CONTACT);
  if (contact === null) {
    return failure(c, 404, 'not_found', 'This relay names no security contact; see RELAY_SECURITY_CONTACT.');
  }
  const canonical = new URL(
    '/.well-known/security.txt',
    ownAddress(c.req.url, gateSettings(c.env).publicUrl),
  );
  const expires = new Date(Date.now() + VOUCHED_FOR_MS).toISOString();
  return c.text(`Contact: ${contact}\nExpires: ${expires}\nCanonical: ${canonical.href}\n`);
};

/** As an address: RFC 9116 takes no bare e-mail. Null for what is neither. */
export function readContact(setting: string | undefined): string | null {
  const text = (setting ?? '').trim();
  const url = URL.parse(/^[^\s:/]+@[^\s:/]+$/.test(text) ? `mailto:${text}` : text);
  return url !== null && /^(?:mailto|https|tel):$/.test(url.protocol) ? url.href : null;
}

export const robotsTxt: Handler = (c) => c.text('User-agent: *\nDisallow: /\n');

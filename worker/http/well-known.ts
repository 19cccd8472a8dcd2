/** Serves files at well-known addresses: where to report vulnerabilities (security.txt, RFC 9116), and robots.txt. */

import { ownAddress } from '../gate/own-address.ts';
import { readContact } from '../platform/contact.ts';
import { gateSettings } from './env.ts';
import { failure, type Handler } from './http.ts';

/** The setting is valid whenever the relay is asked; RFC 9116 requires an expiry within a year. */
const VOUCHED_FOR_MS = 180 * 24 * 3_600_000;

/** The operator of the relay is the contact. Without the setting there is no file. */
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

export const robotsTxt: Handler = (c) => c.text('User-agent: *\nDisallow: /\n');

/** RELAY_SECURITY_CONTACT: how the relay's owner can be reached, for whoever finds a fault in it or gets its pushes. */

/** As a URI, because RFC 9116 does not allow a bare e-mail address. Null when it is neither. */
export function readContact(setting: string | undefined): string | null {
  const text = (setting ?? '').trim();
  const url = URL.parse(/^[^\s:/]+@[^\s:/]+$/.test(text) ? `mailto:${text}` : text);
  return url !== null && /^(?:mailto|https|tel):$/.test(url.protocol) ? url.href : null;
}

/** Which addresses in output may be opened, and how they are found. */
import { LINK_SCHEMES } from '../../../protocol/terminal/link-schemes.ts';

/** Where an address leads; null for what must not be opened. Output is hostile: `javascript:` is an address too. */
export function safeLink(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  if (!LINK_SCHEMES.has(url.protocol)) return null;
  // A name before the host is how "https://bank.example@evil.example" hides where it leads.
  if (url.protocol !== 'mailto:' && (url.username !== '' || url.password !== '')) return null;
  return url.href;
}

/** Addresses in plain text, without what usually ends the sentence around them. */
export const LINK_PATTERN = /(?:https?:\/\/|mailto:)[^\s"'<>`{}|\\^]*[^\s"'<>`{}|\\^.,;:!?()[\]]/i;

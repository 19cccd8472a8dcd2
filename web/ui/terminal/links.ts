/** Decides which URLs in output may be opened, and finds them in text. */
import { LINK_SCHEMES } from '../../../protocol/terminal/link-schemes.ts';

/** The URL to open; null when it must not be opened. Output is hostile, and `javascript:` is a URL too. */
export function safeLink(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  if (!LINK_SCHEMES.has(url.protocol)) return null;
  // User info before the host, as in "https://bank.example@evil.example", hides where a link leads.
  if (url.protocol !== 'mailto:' && (url.username !== '' || url.password !== '')) return null;
  return url.href;
}

/** Matches URLs in plain text, without the punctuation that usually follows them in a sentence. */
export const LINK_PATTERN = /(?:https?:\/\/|mailto:)[^\s"'<>`{}|\\^]*[^\s"'<>`{}|\\^.,;:!?()[\]]/i;

/** What a program asks of the clipboard (OSC 52): to write, which a person may allow; never to read. */

/** More is no text that somebody copied. */
const CLIPBOARD_MAX_BYTES = 100 * 1024;

/** The text a program wants on the clipboard; null for anything else. `data` is `<selection>;<base64>`. */
export function clipboardRequest(data: string): string | null {
  const [, encoded] = /^[cpqs0-7]*;([A-Za-z0-9+/=\s]+)$/.exec(data) ?? [];
  if (encoded === undefined || encoded.length > (CLIPBOARD_MAX_BYTES * 4) / 3 + 4) return null;
  try {
    const bytes = Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0));
    if (bytes.length > CLIPBOARD_MAX_BYTES) return null;
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes) || null;
  } catch {
    return null;
  }
}

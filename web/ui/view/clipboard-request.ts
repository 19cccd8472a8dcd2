/** Parses a program's clipboard request (OSC 52). Writing is allowed if the user agrees; reading never is. */

/** More than this is not text that somebody copied. */
const CLIPBOARD_MAX_BYTES = 100 * 1024;

/** The text a program wants to put on the clipboard; null for any other request. `data` is `<selection>;<base64>`. */
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

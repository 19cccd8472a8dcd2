/** Measures the UTF-8 length of a text, without encoding what is obviously short or obviously long. */
const encoder = new TextEncoder();

/** A UTF-16 unit is at least one byte of UTF-8 and at most three. */
export function isLongerThan(text: string, maxBytes: number): boolean {
  if (text.length > maxBytes) return true;
  return text.length * 3 > maxBytes && byteLength(text) > maxBytes;
}

export function byteLength(text: string): number {
  return encoder.encode(text).length;
}

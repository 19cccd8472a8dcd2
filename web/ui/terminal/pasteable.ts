/**
 * Removes control characters from pasted text. A copied `ESC [201~` would end the bracketed paste early, and the line
 * after it would run as if typed.
 */
export function pasteable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  return text.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u0080-\u009f]/g, '');
}

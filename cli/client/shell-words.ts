/** Writes words so that a shell reads them as they are. */

const SAFE = /^[\w@%+=:,./-]+$/;

/**
 * For sh, bash, zsh and fish alike: quotes and backslashes mean different things inside single quotes there, so they stand
 * in double quotes.
 */
export function shellWord(word: string): string {
  if (SAFE.test(word)) return word;
  const parts = word.match(/['\\]|[^'\\]+/g) ?? [''];
  return parts.map((part) => (part === "'" ? `"'"` : part === '\\' ? `"\\\\"` : `'${part}'`)).join('');
}

/** A command line of these words; a single word is a command line already. */
export function commandLineOf(words: readonly string[]): string {
  const [only, ...more] = words;
  return more.length === 0 ? (only ?? '') : words.map(shellWord).join(' ');
}

/**
 * Output as plain text, as a person would read it line by line: without escape sequences, and of a line that was
 * written several times, such as a progress bar, only the last version. It does not know the screen: what a program
 * draws all over it, is better read as a screen.
 */
import { Tokenizer } from '../../protocol/terminal/tokenizer.ts';
import { asText } from './text-search.ts';

/** Every runtime of ours has it, but this folder is compiled with the types of the language alone. */
declare const TextDecoder: new () => {
  decode(bytes: Uint8Array, options: { readonly stream: boolean }): string;
};

export function plainText(bytes: Uint8Array): string {
  const tokens = new Tokenizer().take(new TextDecoder().decode(bytes, { stream: false }));
  const lines: string[] = [];
  let line = '';
  let isReturned = false;
  for (const token of tokens) {
    const text = asText(token);
    if (text === '\n') {
      lines.push(line);
      line = '';
      isReturned = false;
    } else if (text === '\r') {
      isReturned = true;
    } else if (text === '\b') {
      line = line.slice(0, -1);
    } else if (text === '\t' || text >= ' ') {
      line = isReturned ? text : line + text;
      isReturned = false;
    }
  }
  return [...lines, line].join('\n');
}

import { Tokenizer } from './tokenizer.ts';

// Node, browsers and Workers have it; the types of none of them are here.
declare const TextDecoder: new () => { decode(bytes: Uint8Array): string };

const BEL = '\x07';

/** Whether this output rings the bell. A BEL that ends a control string, such as a title, does not. */
export function rings(output: Uint8Array): boolean {
  if (!output.includes(BEL.charCodeAt(0))) return false;
  const tokens = new Tokenizer().take(new TextDecoder().decode(output));
  return tokens.some((token) => token.kind === 'control' && token.char === BEL);
}

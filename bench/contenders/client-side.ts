/** What a client does with output before it counts as arrived: nothing, or what a page does. */
import xterm from '@xterm/headless';
import type { ContenderOptions } from './contender.ts';

/** `taken` is called when the bytes are processed, in order. */
export type ClientSide = (bytes: Uint8Array<ArrayBuffer>, taken: () => void) => void;

export const SIZE = { cols: 120, rows: 40 };

export function clientSide(kind: ContenderOptions['client'] = 'counting'): ClientSide {
  if (kind === 'counting') return (_, taken) => taken();
  const terminal = new xterm.Terminal({ ...SIZE, scrollback: 5000, allowProposedApi: true });
  return (bytes, taken) => terminal.write(bytes, taken);
}

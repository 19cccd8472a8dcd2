/** Types keys in the way that the program has asked for; all others are left to xterm. */
import type { Terminal } from '@xterm/xterm';
import type { KeyModes } from '../../../protocol/terminal/keyboard/key-modes.ts';
import { encodeKey } from './keyboard/encode-key.ts';

interface KeyOptions {
  readonly modes: KeyModes;
  readonly isMac: boolean;
  readonly signal: AbortSignal;
}

/** Returns a handler that tells whether xterm should see an event. */
export function keyTyping(
  terminal: Terminal,
  host: HTMLElement,
  { modes, isMac, signal }: KeyOptions,
): (event: KeyboardEvent) => boolean {
  const isSettling = watchCompositions(host, signal);
  return (event) => {
    // xterm types what was composed before this key.
    if (isSettling()) return true;
    const option = !isMac ? 'none' : terminal.options.macOptionIsMeta === true ? 'meta' : 'types';
    const encoded = encodeKey(event, { flags: modes.flags, otherKeys: modes.otherKeys, option });
    if (encoded === 'terminal') return true;
    if (encoded === 'browser') return false;
    event.preventDefault();
    terminal.input(encoded.send);
    // xterm has something to do when a key is released, but does not type.
    return event.type === 'keyup';
  };
}

/** xterm reads what was composed a moment after the end of the composition. */
function watchCompositions(host: HTMLElement, signal: AbortSignal): () => boolean {
  let isSettling = false;
  const settle = () => {
    isSettling = true;
    setTimeout(() => {
      isSettling = false;
    });
  };
  host.addEventListener('compositionend', settle, { signal });
  return () => isSettling;
}

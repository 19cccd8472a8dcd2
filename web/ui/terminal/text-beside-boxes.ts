/**
 * Keeps text beside box drawing readable where the terminal is drawn with elements.
 *
 * xterm lifts weak colours of text, but not of box, block and powerline characters, which count as background. It decides by
 * the first character of an element and puts the text behind it into the same one: names in mc stand behind a frame and
 * stayed weak. A joined character gets an element of its own, so the first one behind such a character is joined with itself.
 */
import type { Terminal } from '@xterm/xterm';

const BEHIND_BOX = /(?<=[\u2500-\u259f\ue0a4-\ue0d6])[^\u2500-\u259f\ue0a4-\ue0d6]/g;

/** Returns how to stop; with WebGL every character is drawn by itself and this would only cost time. */
export function separateTextBesideBoxes(terminal: Terminal): () => void {
  const joiner = terminal.registerCharacterJoiner((text) =>
    [...text.matchAll(BEHIND_BOX)].map(({ index }): [number, number] => [index, index + 1]),
  );
  return () => terminal.deregisterCharacterJoiner(joiner);
}

/**
 * Keeps text next to box-drawing characters readable in xterm's DOM renderer.
 *
 * xterm raises the contrast of text, but not of box, block and powerline characters, which it treats as background. It
 * decides by the first character of an element and puts the text that follows into the same element. File names in mc
 * follow a frame and therefore stayed faint. A joined character gets an element of its own, so the first character
 * after such a one is joined with itself.
 */
import type { Terminal } from '@xterm/xterm';

const BEHIND_BOX = /(?<=[\u2500-\u259f\ue0a4-\ue0d6])[^\u2500-\u259f\ue0a4-\ue0d6]/g;

/** Returns a function that undoes it. WebGL draws every character separately, so there this would only cost time. */
export function separateTextBesideBoxes(terminal: Terminal): () => void {
  const joiner = terminal.registerCharacterJoiner((text) =>
    [...text.matchAll(BEHIND_BOX)].map(({ index }): [number, number] => [index, index + 1]),
  );
  return () => terminal.deregisterCharacterJoiner(joiner);
}

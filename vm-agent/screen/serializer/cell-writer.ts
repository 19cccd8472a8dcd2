/**
 * Writes the characters of cells so that a terminal that prints them makes the same cells. Characters of different cells
 * must not join each other, and those of one cell must join to exactly its width.
 */
import { CLUSTERS, CODE_POINTS, type WidthModel } from '../../../protocol/terminal/width/width-model.ts';

/** A string terminator without a string does nothing, but nothing that follows joins what is before it. */
export const BREAK = '\x1b\\';

/** The model of a version; undefined for xterm's own, where only marks join, and never wider than what they join. */
export function modelOf(version: string): WidthModel | undefined {
  return [CLUSTERS, CODE_POINTS].find((model) => model.version === version);
}

export class CellWriter {
  readonly #model: WidthModel | undefined;
  #preceding = 0;

  constructor(model: WidthModel | undefined) {
    this.#model = model;
  }

  /** A sequence was written since the last character. */
  interrupted(): void {
    this.#preceding = 0;
  }

  /** Ordinary characters, which join nothing and are joined by nothing but certain characters before them. */
  run(text: string): string {
    const model = this.#model;
    if (model === undefined) return text;
    const first = model.charProperties(text.codePointAt(0) ?? 0, this.#preceding);
    const isApart = (first & 1) === 0;
    this.#preceding = model.charProperties(text.charCodeAt(text.length - 1), 0);
    return isApart ? text : BREAK + text;
  }

  /** The characters of one cell. */
  cell(text: string, width: number): string {
    if (this.#model === undefined) return text;
    for (const start of this.#preceding === 0 ? [0] : [this.#preceding, 0]) {
      const end = printed(this.#model, text, start);
      if (end === undefined || widthIn(end) !== width) continue;
      const isBroken = start !== this.#preceding;
      this.#preceding = end;
      return isBroken ? BREAK + text : text;
    }
    // Marks that were printed after a sequence have joined the cell without changing its width.
    const characters = [...text];
    const first = this.#model.charProperties(text.codePointAt(0) ?? 0, this.#preceding);
    this.#preceding = printedAfterBreak(this.#model, characters.at(-1) ?? '');
    return ((first & 1) === 1 ? BREAK : '') + characters.join(BREAK);
  }

  /**
   * The characters of the cell that was printed last, after a sequence. The terminal then remembers the same as the one
   * that is copied (`wanted`), if that is possible: marks may have joined the cell after a sequence.
   */
  lastCell(text: string, width: number, wanted: number): string {
    const model = this.#model;
    const whole = this.cell(text, width);
    if (model === undefined || this.#preceding === wanted) return whole;
    const characters = [...text];
    for (let count = 1; count < characters.length; count++) {
      const rest = characters.slice(-count).join('');
      if (printedAfterBreak(model, rest) !== wanted) continue;
      this.interrupted();
      const isMarksOnly = widthIn(wanted) === 0;
      if (isMarksOnly) return this.cell(characters.slice(0, -count).join(''), width) + BREAK + rest;
    }
    return whole;
  }
}

const widthIn = (properties: number): number => (properties >> 1) & 3;

function printedAfterBreak({ charProperties }: WidthModel, text: string): number {
  let preceding = 0;
  for (const character of text) preceding = charProperties(character.codePointAt(0) ?? 0, preceding);
  return preceding;
}

/** What the terminal remembers after a text that makes one cell; undefined if it does not. */
function printed({ charProperties }: WidthModel, text: string, start: number): number | undefined {
  let preceding = start;
  let isFirst = true;
  for (const character of text) {
    preceding = charProperties(character.codePointAt(0) ?? 0, preceding);
    if (((preceding & 1) === 0) !== isFirst) return undefined;
    isFirst = false;
  }
  return preceding;
}

/** Inserts the figures into docs/evidence/scale.md. */
import type { Figures } from './figures.ts';

const PARTS = ['deploy', 'hours', 'placement'] as const;

/** `document` with each of its tables replaced. */
export function replaceFigures(document: string, figures: Pick<Figures, (typeof PARTS)[number]>): string {
  return PARTS.reduce((text, part) => {
    const [begin, end] = [`<!-- ${part} -->\n`, `\n<!-- /${part} -->`];
    const [from, to] = [text.indexOf(begin), text.indexOf(end)];
    if (from === -1 || to < from) throw new Error(`the document has no markers for the figures of ${part}`);
    return `${text.slice(0, from + begin.length)}\n${figures[part]}\n${text.slice(to)}`;
  }, document);
}

/** The results of a run as Markdown. */
import { judge, type Ratios } from './ratios.ts';
import type { Goal, Section } from './section.ts';

export function renderSection({ title, how, columns, rows, charts = [] }: Section): string {
  const pictures = charts.map(({ name, title }) => `![${title}](charts/${name}.svg)`);
  return [
    `### ${title}`,
    '',
    how,
    '',
    ...table(columns, rows),
    ...pictures.flatMap((line) => ['', line]),
  ].join('\n');
}

export function renderGoals(sections: readonly Section[]): string {
  const goals = [...judge(ratiosOf(sections)), ...sections.flatMap(({ goals = [] }) => goals)];
  const rows = goals.map(({ what, figure, goal, isMet }: Goal) => [
    what,
    figure,
    goal,
    isMet ? 'met' : '**missed**',
  ]);
  return ['### Goals', '', ...table(['', 'measured', 'goal', ''], rows)].join('\n');
}

/** All that were measured. */
export function ratiosOf(sections: readonly Section[]): Partial<Ratios> {
  return Object.assign({}, ...sections.map(({ ratios }) => ratios));
}

export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(columns), `|${'---|'.repeat(columns.length)}`, ...rows.map(line)];
}

const BEGIN = '<!-- npm run bench writes from here … -->';
const END = '<!-- … to here -->';

/** `document` with its generated part replaced. */
export function replaceGenerated(document: string, generated: string): string {
  const [before, after] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (before === -1 || after < before) throw new Error('the document has no markers for the generated part');
  return `${document.slice(0, before + BEGIN.length)}\n\n${generated}\n\n${document.slice(after)}`;
}

/** What a run found, as Markdown. */

export interface Row {
  readonly what: string;
  readonly ours: string;
  /** The same, of what ours is measured beside. */
  readonly beside?: string;
  readonly goal?: string;
  readonly isMet?: boolean;
}

export interface Section {
  readonly title: string;
  /** How it was measured, in a sentence or two. */
  readonly how: string;
  readonly rows: readonly Row[];
  /** What the rows were made of, for `--json`. */
  readonly samples: unknown;
}

export function renderSection({ title, how, rows }: Section): string {
  const table = rows.map(({ what, ours, beside = '–', goal = '–', isMet }) => {
    const verdict = isMet === undefined ? '' : isMet ? 'met' : '**missed**';
    return `| ${what} | ${ours} | ${beside} | ${goal} | ${verdict} |`;
  });
  return [
    `### ${title}`,
    '',
    how,
    '',
    '| | Holdfast | beside it | goal | |',
    '|---|---|---|---|---|',
    ...table,
  ].join('\n');
}

const BEGIN = '<!-- npm run bench writes from here … -->';
const END = '<!-- … to here -->';

/** `document` with its generated part replaced. */
export function replaceGenerated(document: string, generated: string): string {
  const [before, after] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (before === -1 || after < before) throw new Error('the document has no place for what is generated');
  return `${document.slice(0, before + BEGIN.length)}\n\n${generated}\n\n${document.slice(after)}`;
}

/** Extracts the commands and their documented output from a page of docs, and compares the output with the real one. */

export interface DocumentedCommand {
  readonly line: number;
  readonly command: string;
  readonly output: string;
}

/** The commands of every block marked `console`, in order. */
export function documentedCommands(markdown: string): DocumentedCommand[] {
  const commands: { line: number; command: string; output: string }[] = [];
  let isInside = false;
  for (const [index, text] of markdown.split('\n').entries()) {
    if (text.startsWith('```')) isInside = text === '```console';
    else if (isInside && text.startsWith('$ '))
      commands.push({ line: index + 1, command: text.slice(2), output: '' });
    else if (isInside) {
      const last = commands.at(-1);
      if (last !== undefined) last.output += `${text}\n`;
    }
  }
  return commands;
}

/** Replaces what differs from run to run: ids, tokens, times, and the column widths around them. */
export function normalised(text: string): string {
  return (
    text
      .replace(/eyJ[\w.-]+/g, '<token>')
      .replace(/(?<![\w-])[\w-]{22}(?![\w-])/g, '<id>')
      .replace(/^[\w-]{8}(?= {2})/gm, '<id>')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
      .replace(/\d+ (?:s|min) ago/g, '<ago>')
      // With its date if a day has begun since, and as a range if a minute has.
      .replace(/^(?:\d{4}-\d\d-\d\d )?\d\d:\d\d(?: – (?:\d{4}-\d\d-\d\d )?\d\d:\d\d)?(?= {2})/gm, '<clock>')
      .replace(/127\.0\.0\.1:\d{4,5}\/?/g, '<address>')
      .replace(/in \d+ ms \(version [^)]+\)/g, 'in <ms>')
      .replace(/ {2,}/g, '  ')
      .trim()
  );
}

/** `…` in the docs matches anything on its line. */
export function asPattern(documented: string): RegExp {
  const parts = normalised(documented)
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}

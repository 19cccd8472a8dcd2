/** Share links as a table, and the one that an argument means. */
import { printable } from '../../protocol/printable.ts';
import type { SharedLink } from '../../protocol/share-link.ts';
import { CommandError, EXIT } from '../command-line/exit-codes.ts';
import { SHORT_ID_CHARS } from './find-session.ts';
import { ago } from './session-table.ts';
import { textTable } from './text-table.ts';

const HEADINGS = ['ID', 'LABEL', 'SESSION', 'ROLE', 'MADE BY', 'EXPIRES IN', 'USED', 'LAST'];

/** Every id begins with `link:`, which stays: an argument must not begin with a dash. */
const SHORT_LINK_ID_CHARS = 'link:'.length + SHORT_ID_CHARS;

export function linkTable(links: readonly SharedLink[], now: Date): string {
  const rows = links.map((link) => [
    printable(link.id, SHORT_LINK_ID_CHARS),
    printable(link.label) || '-',
    link.session === null ? 'all' : printable(link.session, SHORT_ID_CHARS),
    link.role,
    printable(link.madeBy) || '-',
    ago(now, new Date(link.expiresAt)),
    `${link.uses}x`,
    link.lastUsedAt === null ? 'never' : `${ago(new Date(link.lastUsedAt), now)} ago`,
  ]);
  return textTable([HEADINGS, ...rows]);
}

/** By its id, or the beginning of one as the table shows it. */
export function linkMeant(links: readonly SharedLink[], meant: string): SharedLink {
  const begins = ({ id }: SharedLink) => id.startsWith(meant);
  const [only, another] = meant === '' ? [] : links.filter(begins);
  if (only !== undefined && another === undefined) return only;
  const why = only === undefined ? `no link "${meant}"` : `"${meant}" matches several links`;
  throw new CommandError(EXIT.failed, `${why}; \`holdfast share --list\` lists them`);
}

/** `npm run reference`: writes every text of the page to web/ui/strings.txt, for proof-reading. */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PROJECT } from '../node/project.ts';
import { stringsOf } from './ui-strings.ts';

const root = fileURLToPath(PROJECT);
export const STRINGS_FILE = 'web/ui/strings.txt';

/** The page itself, and other sources whose texts it shows unchanged. */
const SOURCES = ['web/ui/**/*.{ts,tsx}', 'client/**/*.ts', 'protocol/close-codes.ts'];

/** Contain only names of programs, fonts, platforms and HTTP authentication schemes. */
const WITHOUT_TEXTS = new Set([
  'web/ui/login/address.ts',
  'web/ui/connection/buy-ticket.ts',
  'web/ui/login/renew-login.ts',
  'web/ui/settings/platform.ts',
  'web/ui/view/shells.ts',
  'web/ui/settings/terminal-theme.ts',
]);

const HEAD = `Every text of the page, by the file that it is in. Written by \`npm run reference\`; proofread it here, edit it in that file.
`;

/** The file as it would be written now. */
export function currentStrings(): string {
  const files = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: root }));
  const sections = files
    .filter((file) => !WITHOUT_TEXTS.has(file))
    .toSorted()
    .map((file) => {
      const strings = stringsOf(file, readFileSync(`${root}/${file}`, 'utf8'));
      return strings.length === 0 ? '' : `\n${file}\n${strings.map((text) => `  ${text}\n`).join('')}`;
    });
  return HEAD + sections.join('');
}

if (import.meta.main) writeFileSync(`${root}/${STRINGS_FILE}`, currentStrings());

/** `npx node tools/write-reference.ts`: writes the files that are generated from the code. */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { PROJECT } from '../node/project.ts';
import { configurationReference } from './reference.ts';
import { stringsOf } from './ui-strings.ts';

export const REFERENCE_FILE = 'docs/configuration.md';
/** Every text of the page, for proofreading. */
export const STRINGS_FILE = 'web/ui/strings.txt';

/** The page itself, and other sources whose texts it shows unchanged. */
const SOURCES = ['web/ui/**/*.{ts,tsx}', 'client/**/*.ts', 'protocol/close-codes.ts'];

/** Contain only drawings, and names of programs, fonts, platforms and HTTP authentication schemes. */
const WITHOUT_TEXTS = new Set([
  'web/ui/login/address.ts',
  'web/ui/connection/buy-ticket.ts',
  'web/ui/login/login-proof.ts',
  'web/ui/settings/platform.ts',
  'web/ui/view/progress-icon.ts',
  'web/ui/view/shells.ts',
  'web/ui/settings/terminal-theme.ts',
]);

const STRINGS_HEAD = `Every text of the page, by the file that it is in. Written by \`npx node tools/write-reference.ts\`; proofread it here, edit it in that file.
`;

const file = (path: string) => new URL(path, PROJECT);
const read = (path: string) => readFileSync(file(path), 'utf8');

/** The file as it would be written now. */
export function currentReference(): string {
  return configurationReference({
    relaySettings: read('worker/http/env.ts'),
    limits: read('protocol/limits.ts'),
  });
}

/** The file as it would be written now. */
export function currentStrings(): string {
  const sections = globSync(SOURCES, { cwd: PROJECT })
    .filter((path) => !WITHOUT_TEXTS.has(path))
    .toSorted()
    .map((path) => {
      const strings = stringsOf(path, read(path));
      return strings.length === 0 ? '' : `\n${path}\n${strings.map((text) => `  ${text}\n`).join('')}`;
    });
  return STRINGS_HEAD + sections.join('');
}

if (import.meta.main) {
  writeFileSync(file(REFERENCE_FILE), currentReference());
  writeFileSync(file(STRINGS_FILE), currentStrings());
}

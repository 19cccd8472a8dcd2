/** `npm run reference`: writes docs/configuration.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { PROJECT } from '../node/project.ts';
import { configurationReference } from './reference.ts';

const file = (path: string) => new URL(path, PROJECT);

/** The file as it would be written now. */
export function currentReference(): string {
  return configurationReference({
    relaySettings: readFileSync(file('worker/http/env.ts'), 'utf8'),
    limits: readFileSync(file('protocol/limits.ts'), 'utf8'),
  });
}

if (import.meta.main) writeFileSync(file('docs/configuration.md'), currentReference());
